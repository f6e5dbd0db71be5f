// The links that people get: an invitation, a new password, and what a mail has.
import { giveInvitation, type NewInvitation, USER_INVITATION } from '../../../src/self-service/invitation.ts'
import { giveResetLink } from '../../../src/self-service/reset-password.ts'
import { NEW_PASSWORD } from '../accounts.ts'
import { asPage, type Visitor } from '../visitor.ts'
import { pathOf } from './requests.ts'
import type { Stage } from './stage.ts'

export function linkSteps({ redmint, visitor }: Stage) {
  /** Opens a link in a browser. */
  const open = (browser: Visitor, url: string) => browser.page(pathOf(url))
  /** Invites somebody, once and for a day if nothing else is said. */
  const invite = (more: Partial<NewInvitation> = {}) =>
    giveInvitation(redmint, { uses: 1, days: 1, groups: [], by: { kind: 'command', id: '' }, ...more })
  /** A link with which a user chooses a new password; undefined: there is none. */
  const resetLink = async (username = 'alice') => (await giveResetLink(redmint, username))?.url
  return {
    open,
    /** How often an invitation may still be used. */
    usesLeft: async (id: string) => (await redmint.storage.records.read(USER_INVITATION, id))?.hash.uses_left,
    invite,
    resetLink,
    /** Opens an invitation, or a new one. */
    openInvitation: async (browser: Visitor, url?: string) => open(browser, url ?? (await invite()).url),
    /** Opens an invitation, and sends its form if it is open. */
    join: async (url: string, username: string, browser = visitor()) => {
      const page = await open(browser, url)
      if (page.status === 400) return page
      return asPage(await browser.submit(page, { username, password: NEW_PASSWORD }))
    },
    /** Opens a link to a new password of alice, or a new one. */
    openReset: async (browser: Visitor, url?: string) => open(browser, url ?? (await resetLink()) ?? 'none:'),
    /** Opens a link in a new browser and presses its button. */
    async press(link: string) {
      const browser = visitor()
      return asPage(await browser.submit(await browser.page(link), {}))
    },
  }
}
