/**
 * Returns the content coding of an answer (RFC 9110 §8.4); undefined if it has none. No request of redmint asks for one, so
 * an answer with one is refused before anything decodes it: a kilobyte of it can be a gigabyte.
 */
export function codingOf(header: string | null | undefined): string | undefined {
  const coding = (header ?? '').trim().toLowerCase()
  return coding === '' || coding === 'identity' ? undefined : coding.slice(0, 40)
}
