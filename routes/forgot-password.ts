import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FORGOT_FORM } from '../src/self-service/forgot-password.ts'
import { addMailForm } from './mail-form.ts'

/** "Forgot your password?" */
const route: FastifyPluginAsyncTypebox = async (fastify) =>
  addMailForm(fastify, FORGOT_FORM, {
    show: { operationId: 'forgotPassword', summary: 'Where a lost password is replaced' },
    send: { operationId: 'sendResetLink', summary: 'Sends a link to a new password' },
    field: 'The username or the e-mail address',
  })

export default route
