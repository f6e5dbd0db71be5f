import type { Sub } from '../core/ids.ts'
import type { View } from '../pages/layout.ts'
import { StorageUnavailable } from '../storage/errors.ts'

/** What it takes to say on a page that something waits. */
export interface BarContext {
  /** Tells whether something waits for the answer of a person; undefined: nothing can. @throws StorageUnavailable */
  readonly waitsFor: ((person: Sub) => Promise<boolean>) | undefined
}

/**
 * Returns a page with a bar on it, if something waits for the answer of the person who is signed in. No page fails because
 * of that.
 */
export async function withBar(
  { waitsFor }: BarContext,
  person: { readonly sub: Sub } | undefined,
  render: (view: View) => string,
): Promise<(view: View) => string> {
  if (waitsFor === undefined || person === undefined) return render
  try {
    return (await waitsFor(person.sub)) ? (view) => render({ ...view, has_asks: true }) : render
  } catch (error) {
    if (error instanceof StorageUnavailable) return render
    throw error
  }
}
