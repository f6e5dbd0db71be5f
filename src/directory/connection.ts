import type { Socket } from 'node:net'
import { Client, type Entry, type Filter, ResultCodeError } from 'ldapts'
import { inSpan, type SpanAttributes } from '../core/spans.ts'
import { DirectoryFailure } from './failure.ts'
import { type ANSWERS, MessageStream } from './message-stream.ts'
import { PasswordPolicyControl, saysMustChange } from './password-policy.ts'
import { secureSocket, type TrustedServer } from './secure-socket.ts'

/** In milliseconds: until the connection can be used, and for each answer. */
export interface DirectoryTiming {
  readonly connect: number
  readonly answer: number
}

export const DIRECTORY_TIMING: DirectoryTiming = { connect: 3000, answer: 5000 }

/** What is looked for. */
export interface Search {
  readonly base: string
  readonly filter: Filter
  readonly attributes: readonly string[]
  /**
   * How many entries are of interest, however many there are; absent: all, or none if the directory has more than it
   * gives.
   */
  readonly max?: number
}

/** What a directory says to a password: `must_change`, that it is the right one, and counts no more. */
export type BindResult = 'let_in' | 'refused' | 'must_change'

/**
 * The results with which a directory says that somebody may not sign in, whatever the reason is (RFC 4511 §4.2.2): no such
 * entry, another way to prove it, wrong, locked, expired. The others are about the directory.
 */
const NOT_LET_IN: readonly number[] = [19, 32, 34, 48, 49, 50, 53]

/** A connection with a directory. It is used for one question at a time, and never opened anew. */
export class Connection {
  readonly #stream: MessageStream
  readonly #client: Client
  readonly #timing: DirectoryTiming
  readonly #attributes: SpanAttributes

  private constructor(socket: Socket, { host, port }: TrustedServer, timing: DirectoryTiming) {
    const stream = new MessageStream(socket)
    let is_taken = false
    this.#stream = stream
    this.#timing = timing
    this.#attributes = { 'network.protocol.name': 'ldap', 'server.address': host, 'server.port': port }
    this.#client = new Client({
      // What is asked by this library is in the stream already: TLS is below it.
      url: 'ldap://directory',
      createConnection: () => {
        // The library connects again by itself, without TLS.
        if (is_taken) throw new DirectoryFailure('closed')
        is_taken = true
        return stream as unknown as Socket
      },
    })
  }

  /** Connects with a directory. @throws DirectoryFailure */
  static async open(server: TrustedServer, timing: DirectoryTiming = DIRECTORY_TIMING): Promise<Connection> {
    return new Connection(await secureSocket(server, AbortSignal.timeout(timing.connect)), server, timing)
  }

  get is_open(): boolean {
    return !this.#stream.destroyed
  }

  /** Whether the process goes on because of this connection. */
  keepsProcess(keeps: boolean): void {
    this.#stream.keepsProcess(keeps)
  }

  /**
   * Shows who asks from now on (RFC 4511 §4.2).
   * @param password not empty: the directory would let in anybody, as nobody (RFC 4513 §5.1.2)
   * @throws DirectoryFailure
   */
  async bind(dn: string, password: string): Promise<BindResult> {
    if (dn === '' || password === '') throw new Error('An unauthenticated bind proves nothing.')
    // That it does not let somebody in is an answer, and no error of the span.
    return inSpan('ldap.bind', this.#attributes, async () => {
      const policy = new PasswordPolicyControl()
      let must_change = false
      try {
        await this.#asked('bind', async () => {
          try {
            await this.#client.bind(dn, password, policy)
          } catch (error) {
            must_change = saysMustChange(error)
            throw error
          }
        })
        return policy.must_change ? 'must_change' : 'let_in'
      } catch (error) {
        if (!(error instanceof DirectoryFailure && NOT_LET_IN.includes(Number(error.detail)))) throw error
        return must_change || policy.must_change ? 'must_change' : 'refused'
      }
    })
  }

  /** Finds entries below another one; references to other directories are not followed. @throws DirectoryFailure */
  async search({ base, filter, attributes, max }: Search): Promise<readonly Entry[]> {
    const { answer } = this.#timing
    const found = await inSpan('ldap.search', this.#attributes, () =>
      this.#asked('search', () =>
        this.#client.search(base, {
          filter,
          attributes: [...attributes],
          explicitBufferAttributes: ['objectGUID', 'guid', 'GUID'],
          scope: 'sub',
          // With a limit, the library takes what came first for an answer.
          ...(max !== undefined && { sizeLimit: max }),
          timeLimit: Math.ceil(answer / 1000),
        }),
      ),
    )
    return found.searchEntries
  }

  close(): void {
    this.#stream.destroy()
  }

  async #asked<T>(question: keyof typeof ANSWERS, ask: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#stream.destroy(new DirectoryFailure('silent')), this.#timing.answer)
    this.#stream.expectAnswer(question)
    try {
      return await ask()
    } catch (error) {
      if (error instanceof ResultCodeError) throw new DirectoryFailure('refused', String(error.code))
      const { errored } = this.#stream
      // Nobody knows what the connection waits for.
      this.close()
      throw errored instanceof DirectoryFailure ? errored : new DirectoryFailure('malformed')
    } finally {
      clearTimeout(timer)
    }
  }
}
