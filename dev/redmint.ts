import type { Static, TObject } from '@sinclair/typebox'
import type { Settings } from '../src/config/settings.ts'
import type { TokenResponse } from '../src/tokens/token-response.ts'
import type { EndpointName } from './control/endpoints.ts'
import type { FaultName, FaultOptions } from './control/faults/request-faults.ts'
import type { LoggedRequest } from './control/log/request-log.ts'
import type { SentMail } from './control/mails/mails.ts'
import { type DevOperation, runOperation } from './control/operation.ts'
import { OPERATIONS } from './control/operations.ts'
import type { BrowserCookie, SignInWay } from './control/sign-in.ts'
import type { Answered, WaitingAnswer } from './control/waiting.ts'
import type { DevParts } from './parts.ts'

type InputOf<Name extends keyof typeof OPERATIONS> = Static<(typeof OPERATIONS)[Name]['input']>

/** A server for development that runs in this process. Its methods are the operations of `/dev/`. */
export class Redmint {
  readonly issuer: string
  /** What requests at `/dev/` prove themselves with: `Authorization: Bearer …`. */
  readonly control_token: string
  /** The settings of the framework of `for`, to paste; undefined: none was named. */
  pasted: string | undefined
  readonly #parts: DevParts

  constructor(parts: DevParts) {
    this.issuer = parts.issuer
    this.control_token = parts.control_token
    this.#parts = parts
  }

  /**
   * Returns tokens of any kind without a flow, as the token endpoint answers them: real ones, or with a fault.
   * @throws ControlError that says why there are none
   */
  token(wanted: InputOf<'token'>): Promise<TokenResponse> {
    return this.#run(OPERATIONS.token, wanted)
  }

  /**
   * Signs a person in without pages.
   * @returns the cookies of the session, as Playwright takes them
   * @throws ControlError if there is no such person
   */
  signIn(user: string, way: SignInWay = {}): Promise<readonly BrowserCookie[]> {
    return this.#run(OPERATIONS.sign_in, { user, ...way })
  }

  /**
   * Remembers that a person allows a client what it asks for, so that no page asks.
   * @returns what the client may have without being asked
   * @throws ControlError if the client cannot have it
   */
  consent(given: InputOf<'consent'>): Promise<{ readonly scope: string }> {
    return this.#run(OPERATIONS.consent, given)
  }

  /**
   * Answers a device for a person, by the user code that it shows.
   * @returns the client and what it was allowed
   * @throws ControlError if no device waits with this code
   */
  device(user_code: string, answer: WaitingAnswer, user: string): Promise<Answered> {
    return this.#run(OPERATIONS.device, { user_code, answer, user })
  }

  /**
   * Answers for a person what a client asks them (CIBA), the newest question if there are several.
   * @returns the client and what it was allowed
   * @throws ControlError if nothing of this client waits for them
   */
  ask(client: string, answer: WaitingAnswer, user: string): Promise<Answered> {
    return this.#run(OPERATIONS.ask, { client, answer, user })
  }

  /**
   * Returns the mails since the last reset, the oldest first, with the links in them.
   * @param wanted `to`: of one address; `at_least`, `within`: waits until there are so many, for so many seconds
   * @throws ControlError if fewer came, or this server keeps no mails
   */
  mails(wanted: InputOf<'mails'> = {}): Promise<readonly SentMail[]> {
    return this.#run(OPERATIONS.mails, wanted)
  }

  /** The clock, which all that has an end follows. */
  readonly clock = {
    /**
     * Moves the clock ahead.
     * @throws ControlError unless it is 0 or more seconds, or with a Redis, which has a clock of its own
     */
    advance: async (seconds: number): Promise<void> => {
      await this.#run(OPERATIONS.clock, { advance: seconds })
    },
  }

  /**
   * Has something go wrong with the next requests at an endpoint, until the next reset.
   * @throws ControlError if this cannot happen there
   */
  fault(endpoint: EndpointName, name: FaultName, times = 1, options: FaultOptions = {}): Promise<void> {
    return this.#run(OPERATIONS.fault, { endpoint, fault: name, times, ...options })
  }

  /** Returns each request since the last reset: what was decided and, if it was refused, why. */
  log(): Promise<readonly LoggedRequest[]> {
    return this.#run(OPERATIONS.log, {})
  }

  /** Forgets all that came since the start: records, tokens, sessions, the clock. @throws ControlError with a Redis */
  reset(): Promise<void> {
    return this.#run(OPERATIONS.reset, {})
  }

  /** Stops the server. */
  async close(): Promise<void> {
    this.#parts.faults.close()
    await this.#parts.fastify.close()
  }

  /** The settings of the server. */
  get settings(): Settings {
    return this.#parts.fastify.redmint.settings
  }

  #run<Input extends TObject, Answer>(
    operation: DevOperation<Input, Answer>,
    input: object,
  ): Promise<Answer> {
    return runOperation(operation, this.#parts, input)
  }
}
