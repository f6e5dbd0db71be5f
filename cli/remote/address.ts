import { Option } from 'commander'
import { isPlainHttp, isUrl } from '../../src/core/uri.ts'
import { UsageError } from '../errors.ts'

/** Returns the option `--server`. */
export function serverOption(description: string): Option {
  return new Option('--server <url>', description).argParser((value) => readAddress('--server', value))
}

/**
 * Returns the base address of a server, without a slash at the end.
 * @param name where it was given
 * @throws UsageError if it is not an address to which a token may be sent
 */
export function readAddress(name: string, given: string): string {
  const is_url = /^https?:\/\//i.test(given) && isUrl(given)
  if (!is_url) throw new UsageError(`${name} must be an address such as https://login.example.com.`)
  const { username, password, search, hash, href } = new URL(given)
  if (username || password || search || hash) {
    throw new UsageError(`${name} must be an address without user, query and fragment.`)
  }
  if (isPlainHttp(given)) {
    throw new UsageError(
      `${name} must be https, or http on this machine: a token would be sent in clear text.`,
    )
  }
  return href.replace(/\/+$/, '')
}
