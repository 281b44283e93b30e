"""MCP: an environment's `ws` interface, and its user, as tools of a server on stdio."""

from envplatform.interop.mcp.server import mcp_server
from envplatform.interop.mcp.stdio import serve_stdio

__all__ = ["mcp_server", "serve_stdio"]
