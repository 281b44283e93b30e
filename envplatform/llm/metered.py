"""A model that adds up what its answers cost, also of those that are then refused."""

from envplatform.llm.chat import ChatModel, ChatRequest, ChatResponse, Usage


class Metered(ChatModel):
    """Another model's answers, and their cost so far."""

    def __init__(self, inner: ChatModel) -> None:
        self.name = inner.name
        self.usage = Usage()
        self._inner = inner

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """As the inner model."""
        response = await self._inner.complete(request)
        self.usage += response.usage
        return response
