/** The logger of the protocol; the loggers of pino and Fastify implement it. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Logs nothing. */
export const SILENT: Log = { info() {}, warn() {}, error() {} }
