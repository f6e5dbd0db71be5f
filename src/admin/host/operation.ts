import type { Static, TSchema } from '@sinclair/typebox'
import type { Passwords } from '../../users/passwords.ts'
import type { AdminContext, OperationOutcome } from '../operation/operation.ts'

/** What the operations of a host work with. */
export interface HostContext extends AdminContext {
  readonly passwords: Passwords
}

/** What an operation of a host is given. */
interface Input<Body extends TSchema> {
  readonly body: Static<Body>
  readonly dry_run?: boolean
}

/** What only the command on the host does: no server offers it, whatever rights somebody has there. */
export interface HostOperation<Body extends TSchema = TSchema, Answer extends TSchema = TSchema> {
  /** What the command says at a server, as a sentence. */
  readonly why: string
  /** Whether it has something ended in the background; absent: it does not. */
  readonly ends?: true
  readonly body: Body
  readonly answer: Answer
  /** @throws AdminError if it is refused; StorageUnavailable */
  run(context: HostContext, input: Input<Body>): Promise<OperationOutcome<Static<Answer>>>
}

/** Returns an operation of a host with the types of its schemas. */
export const hostOperation = <Body extends TSchema, Answer extends TSchema>(
  definition: HostOperation<Body, Answer>,
): HostOperation<Body, Answer> => definition
