BEGIN TRANSACTION;
CREATE TABLE prices (sku TEXT PRIMARY KEY, price_quantity INTEGER NOT NULL CHECK (price_quantity IN (1, 100, 1000)), list_cents INTEGER NOT NULL, discount_bp INTEGER NOT NULL, net_cents INTEGER NOT NULL, currency TEXT NOT NULL CHECK (currency = 'EUR'), valid_from TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('active', 'review')));
COMMIT;
