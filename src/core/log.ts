/** The logger that the protocol needs; pino's and Fastify's fit. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Logs nothing. */
export const SILENT: Log = { info() {}, warn() {}, error() {} }
