/** What the protocol needs of a logger; pino's, and so Fastify's, fits. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Tells nobody. */
export const SILENT: Log = { info() {}, warn() {}, error() {} }
