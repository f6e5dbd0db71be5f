/** Storage did not answer, refused to, or answered with a passing fault. Nothing may be concluded from it. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
}
