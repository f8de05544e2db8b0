/** What the URL of a database begins with: of PostgreSQL, or of remote libSQL. */
export const DATABASE_URL = /^(?:postgres(?:ql)?|libsql|https?):\/\//

/** The same for a sentence. */
export const DATABASE_URLS = 'a postgresql:// or postgres:// DSN, or a libsql://, https:// or http:// URL'
