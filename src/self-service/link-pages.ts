import { hasMail } from '../config/mail-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { ClientId, Transaction } from '../core/ids.ts'
import type { Link, LinkAnswer } from '../core/link.ts'
import { PATHS } from '../core/paths.ts'
import { present } from '../core/present.ts'
import type { LinkSignIn } from '../interaction/sign-in-by-link.ts'
import { choosePasskeyPage } from '../pages/choose-passkey.ts'
import { type ChoiceProblem, choosePasswordPage, type InvitationProps } from '../pages/choose-password.ts'
import type { PageForm } from '../pages/form.ts'
import type { View } from '../pages/layout.ts'
import type { LinkAccount, LinkAccountProps } from '../pages/link-account.ts'
import { type LinkEndProps, linkQuestionPage } from '../pages/link-question.ts'
import type { ShownPasskey } from '../pages/passkey-list.ts'
import type { SecondStepWay } from '../pages/second-step.ts'
import type { Asker } from '../users/fair-queue.ts'
import { type AddressContext, showAddress, takeAddress } from './change-address.ts'
import { type JoinContext, showJoin, takeJoin } from './join.ts'
import type { LinkBrowser, LinkPasskey } from './link-passkey.ts'
import { type NotMeContext, showNotMe, takeNotMe } from './not-me.ts'
import type { ResetContext, ShowResetContext } from './reset-link.ts'
import { showReset, takeReset } from './reset-password.ts'

/** What the pages work with. */
export type LinkPageContext = ShowResetContext & ResetContext & JoinContext & AddressContext & NotMeContext

/** What a page shows: the form, which passkeys are still one's own, that it is done, or that its link is over. */
export interface LinkPageShown extends Pick<LinkEndProps, 'is_loss' | 'is_suspended'> {
  readonly page: 'choose' | 'review' | 'done' | 'over'
  readonly account?: LinkAccount
  /** What the next form belongs to, in place of the link that was opened. */
  readonly link?: Link
  readonly passkeys?: readonly ShownPasskey[]
  /** Milliseconds since 1970. */
  readonly now?: number
  readonly username?: string
  /** The name of the person as it was typed. */
  readonly name?: string
  readonly invited?: InvitationProps
  readonly second_step?: boolean
  /** Absent: there are no passwords. */
  readonly min_length?: number
  readonly passkey?: LinkPasskey
  readonly problem?: ChoiceProblem
  /** The request that waits for the account, sealed. */
  readonly request?: Transaction
  /** Who is to be signed in once it is done; absent: nobody. */
  readonly arrival?: LinkSignIn
  /** The client that an invitation leads on to. */
  readonly client?: ClientId
}

/** What the forms of these pages have. `way`: by what the second step is passed, where one is asked for. */
interface LinkForm extends PageForm, LinkAccountProps {
  readonly way: SecondStepWay
}

/** A page that a link opens. Only `take` changes anything. */
export interface LinkPage {
  readonly about: LinkEndProps['about']
  readonly path: string
  isOn(settings: Settings): boolean
  show(context: LinkPageContext, link: Link, browser: LinkBrowser): Promise<LinkPageShown>
  take(
    context: LinkPageContext,
    link: Link,
    answer: LinkAnswer,
    asker: Asker,
    browser: LinkBrowser,
  ): Promise<LinkPageShown>
  /** The page with the form. */
  form(form: LinkForm, shown: LinkPageShown, view: View): string
}

const choiceForm =
  (about: 'reset' | 'welcome'): LinkPage['form'] =>
  (form, { second_step = false, min_length, problem, username, name, invited, passkey }, view) => {
    const more = present({ problem, username, name, invited, passkey })
    if (min_length === undefined && passkey !== undefined)
      return choosePasskeyPage({ ...form, about, second_step, ...more, passkey }, view)
    return choosePasswordPage({ ...form, about, second_step, min_length: min_length ?? 0, ...more }, view)
  }

/** The pages that links open: which account a link is about, and that it acts once, is in its evidence. */
export const LINK_PAGES: readonly LinkPage[] = [
  {
    about: 'reset',
    path: PATHS.reset_password,
    isOn: () => true,
    show: showReset,
    take: takeReset,
    form: choiceForm('reset'),
  },
  {
    about: 'welcome',
    path: PATHS.welcome,
    isOn: () => true,
    show: showJoin,
    take: takeJoin,
    form: choiceForm('welcome'),
  },
  {
    about: 'address',
    path: PATHS.confirm_address,
    isOn: hasMail,
    show: showAddress,
    take: (context, link, _answer, { address }, browser) =>
      takeAddress(context, link, { ...browser, address }),
    form: (form, _shown, view) => linkQuestionPage({ ...form, about: 'address' }, view),
  },
  {
    about: 'not_me',
    path: PATHS.not_me,
    isOn: hasMail,
    show: showNotMe,
    take: takeNotMe,
    form: (form, _shown, view) => linkQuestionPage({ ...form, about: 'not_me' }, view),
  },
]
