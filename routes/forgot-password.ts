import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PATHS } from '../src/core/paths.ts'
import { forgotDonePage, forgotPasswordPage } from '../src/pages/forgot-password.ts'
import { askForReset } from '../src/self-service/forgot-password.ts'
import { addMailForm } from './mail-form.ts'

/** "Forgot your password?" */
const route: FastifyPluginAsyncTypebox = async (fastify) =>
  addMailForm(fastify, {
    path: PATHS.forgot_password,
    names: { show: 'forgotPassword', send: 'sendResetLink' },
    summaries: { show: 'Where a lost password is replaced', send: 'Sends a link to a new password' },
    field: { name: 'username', description: 'The username or the e-mail address' },
    page: forgotPasswordPage,
    done: forgotDonePage,
    ask: askForReset,
  })

export default route
