import { listOf, type OptionForm } from './option-form.ts'

/** The hosts whose metadata documents describe clients: all, none, or those of a list. */
export type ClientHosts = 'all' | 'none' | readonly string[]

// A name without a dot is no host on the Internet, but a word such as `true`.
const HOST = /^(?:localhost|(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)$/

/** A list of host names, `*.` for all names below one. */
export const HOST_NAMES = listOf({
  variable: 'host names without scheme and port, separated by commas, such as example.com,*.example.org',
  option:
    'an array of host names in lower case, without scheme and port, such as "example.com" and "*.example.org"',
  isEntry: (host) => HOST.test(host),
  split: (text) => text.split(',').flatMap((host) => host.trim().toLowerCase() || []),
})

/** The same, or a word for all hosts or none. */
export const CLIENT_HOSTS: OptionForm<ClientHosts> = {
  variable: `on, off, or ${HOST_NAMES.variable}`,
  option: `"all", "none", or ${HOST_NAMES.option}`,
  parse: (text, faults) => {
    if (text === 'on') return 'all'
    return text === 'off' ? 'none' : HOST_NAMES.parse(text, faults)
  },
  accepts: (value) => value === 'all' || value === 'none' || HOST_NAMES.accepts(value),
  faults: (hosts, wanted) => (typeof hosts === 'string' ? [] : (HOST_NAMES.faults?.(hosts, wanted) ?? [])),
}
