// The links that people get: an invitation, a new password, and what a mail has.
import { giveInvitation, type NewInvitation } from '../../../src/self-service/invitation.ts'
import { giveResetLink } from '../../../src/self-service/reset-password.ts'
import { asPage, type Visitor } from '../visitor.ts'
import { pathOf } from './requests.ts'
import type { Stage } from './stage.ts'

export function linkSteps({ redmint, visitor }: Stage) {
  /** Opens a link in a browser. */
  const open = (browser: Visitor, url: string) => browser.page(pathOf(url))
  return {
    open,
    /** Invites somebody, once and for a day if nothing else is said. */
    invite: (more: Partial<NewInvitation> = {}) =>
      giveInvitation(redmint, { uses: 1, days: 1, groups: [], by: { kind: 'command', id: '' }, ...more }),
    /** A link with which a user chooses a new password. */
    resetLink: async (username = 'alice') => (await giveResetLink(redmint, username))?.url ?? 'none:',
    /** Opens a link in a new browser and presses its button. */
    async press(link: string) {
      const browser = visitor()
      return asPage(await browser.submit(await browser.page(link), {}))
    },
  }
}
