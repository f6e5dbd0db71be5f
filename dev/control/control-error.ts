/** What a server for development was asked to do is refused: the message says why, and what to write instead. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** The status of its answer at `/dev/`. */
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}
