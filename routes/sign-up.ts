import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SIGN_UP_FORM } from '../src/self-service/sign-up.ts'
import { addMailForm } from './mail-form.ts'

/** "Create an account", where SIGN_UP is open. */
const route: FastifyPluginAsyncTypebox = async (fastify) =>
  addMailForm(fastify, SIGN_UP_FORM, {
    show: { operationId: 'signUp', summary: 'Where somebody asks for an account' },
    send: { operationId: 'sendSignUpLink', summary: 'Sends a link by which somebody makes an account' },
    field: 'The e-mail address',
  })

export default route
