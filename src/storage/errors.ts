/** Storage did not answer, or answered with a temporary error. The outcome of the call is unknown. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
}
