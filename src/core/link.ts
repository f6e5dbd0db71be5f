import { hash } from 'node:crypto'
import { randomText } from './token-string.ts'

/** What a link has that goes out: which record it leads to, and the proof of possession. */
export interface Link {
  /** 16 base64url characters. */
  readonly tag: string
  /** The SHA-256 of the secret, which storage keeps in its place. */
  readonly digest: string
  /** `<tag>.<secret>`, as the address has it. */
  readonly text: string
}

/** The fields of a form of a page that a link opens. */
export type LinkAnswer = Readonly<Record<string, string | undefined>>

const SECRET_BYTES = 32
const LINK = /^([\w-]{16})\.([\w-]{43})$/

/** The parameter of an address with the text of a link. */
export const LINK_PARAMETER = 'link'

/** Returns a new link: 256 random bits. */
export function newLink(tag: string): Link {
  const secret = randomText(SECRET_BYTES)
  return { tag, digest: digestOf(secret), text: `${tag}.${secret}` }
}

/** Reads the text of a link; undefined if it is none. */
export function readLink(text = ''): Link | undefined {
  const [, tag, secret] = LINK.exec(text) ?? []
  return tag === undefined || secret === undefined ? undefined : { tag, digest: digestOf(secret), text }
}

/** Returns the address of a page that a link opens. It begins with the issuer, whatever a request says. */
export function addressOf(issuer: string, path: string, { text }: Link): string {
  return `${issuer}${path}?${LINK_PARAMETER}=${text}`
}

const digestOf = (secret: string): string => hash('sha256', secret, 'base64url')
