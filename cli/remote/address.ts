import { isPlainHttp } from '../../src/core/uri.ts'
import { UsageError } from '../errors.ts'

/**
 * Returns the base address of a server's API, without a slash at the end.
 * @throws UsageError if it is not an address to which a token may be sent
 */
export function readServer(given: string): string {
  const is_url = /^https?:\/\//i.test(given) && URL.canParse(given)
  if (!is_url) throw new UsageError('--server must be an address such as https://login.example.com.')
  const { username, password, search, hash, href } = new URL(given)
  if (username || password || search || hash) {
    throw new UsageError('--server must be an address without user, query and fragment.')
  }
  if (isPlainHttp(given)) {
    throw new UsageError(
      '--server must be https, or http on this machine: a token would be sent in clear text.',
    )
  }
  return href.replace(/\/+$/, '')
}
