import type { ServerResponse } from 'node:http'
import fp from 'fastify-plugin'

interface ConnectionOptions {
  max_connections: number
  /** Milliseconds that closing waits for incomplete requests. */
  close_within: number
  /** Aborted when the process receives the signal to stop. */
  drain: AbortSignal | undefined
}

const WARN_EVERY_MS = 60_000

/**
 * Limits the number of connections, and closes them without losing a request: after `drain` each response closes its
 * connection, and closing the instance closes idle connections.
 */
export default fp<ConnectionOptions>(
  async (fastify, { max_connections, close_within, drain }) => {
    const { server, log } = fastify
    const unanswered = new Set<ServerResponse>()
    let warned = Number.NEGATIVE_INFINITY

    server.maxConnections = max_connections
    server.on('drop', () => {
      if (performance.now() - warned < WARN_EVERY_MS) return
      warned = performance.now()
      log.warn({ max_connections }, 'Connections are refused: there are too many.')
    })

    const closeAfter = (response: ServerResponse) => {
      if (!response.headersSent) response.setHeader('connection', 'close')
    }
    drain?.addEventListener('abort', () => unanswered.forEach(closeAfter))
    // Before Fastify's own listener, which may answer at once.
    server.prependListener('request', (_request, response) => {
      unanswered.add(response)
      if (drain?.aborted) closeAfter(response)
      response.once('close', () => {
        unanswered.delete(response)
        if (!server.listening) endWhenAnswered()
      })
    })
    // While closing, Node waits for connections that have sent nothing yet, without a timeout.
    const endWhenAnswered = () => {
      if (unanswered.size === 0) server.closeAllConnections()
    }
    fastify.addHook('preClose', async () => {
      // Fastify closes the listener right after this hook.
      setImmediate(endWhenAnswered)
      setTimeout(() => server.closeAllConnections(), close_within).unref()
    })
  },
  { name: 'redmint-connections' },
)
