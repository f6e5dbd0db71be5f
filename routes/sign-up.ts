import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { clientAddress, networkOf } from '../plugins/address.ts'
import { sendSignUpLink } from '../src/account/sign-up.ts'
import { tryMail } from '../src/account/try-mail.ts'
import { PATHS } from '../src/core/paths.ts'
import { signUpDonePage, signUpPage } from '../src/pages/sign-up.ts'
import { addMailForm } from './mail-form.ts'

/** "Create an account", where SIGN_UP is open. */
const route: FastifyPluginAsyncTypebox = async (fastify) =>
  addMailForm(fastify, {
    path: PATHS.sign_up,
    names: { show: 'signUp', send: 'sendSignUpLink' },
    summaries: {
      show: 'Where somebody asks for an account',
      send: 'Sends a link by which somebody makes an account',
    },
    field: { name: 'email', description: 'The e-mail address' },
    page: signUpPage,
    done: signUpDonePage,
    make: (context, typed, { language }, request) => {
      const sender = networkOf(clientAddress(request))
      return tryMail(context, () => sendSignUpLink(context, { typed, sender, language: language.tag }))
    },
  })

export default route
