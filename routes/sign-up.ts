import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PATHS } from '../src/core/paths.ts'
import { signUpDonePage, signUpPage } from '../src/pages/sign-up.ts'
import { askToSignUp } from '../src/self-service/sign-up.ts'
import { addMailForm } from './mail-form.ts'
import { findWaiting } from './waiting-sign-up.ts'

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
    ask: askToSignUp,
    open: findWaiting,
  })

export default route
