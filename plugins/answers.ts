import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { BackchannelAuthentication } from '../src/asks/ask-answer.ts'
import { PushedRequest } from '../src/authorize/push-request.ts'
import { UserInfo } from '../src/claims/userinfo.ts'
import { ClientInformation } from '../src/clients/registration/information.ts'
import { writerOf } from '../src/core/answer-json.ts'
import { ErrorBody } from '../src/core/error-body.ts'
import { SignalError } from '../src/core/signal-errors.ts'
import { DemoMetadata, DemoResource } from '../src/demo/demo-resource.ts'
import { DeviceAuthorization } from '../src/device/device-authorization.ts'
import { TokenResponse } from '../src/grants/handlers.ts'
import { Health, Info, Readiness, Status } from '../src/service/health.ts'
import { JwkSet } from '../src/service/key-set.ts'
import { ServerMetadata, StatusLists } from '../src/service/metadata.ts'
import {
  ConfiguredStream,
  PolledSets,
  StreamState,
  TransmitterMetadata,
} from '../src/service/signal-answers.ts'
import { WebFinger } from '../src/service/webfinger.ts'
import { Introspection } from '../src/tokens/introspection.ts'

/** The response schemas that routes refer to. The prefix of their $id separates them from the schemas of a host. */
export const ANSWERS: readonly TSchema[] = [
  BackchannelAuthentication,
  ClientInformation,
  ConfiguredStream,
  DemoMetadata,
  DemoResource,
  DeviceAuthorization,
  PolledSets,
  PushedRequest,
  ErrorBody,
  Health,
  Info,
  Introspection,
  JwkSet,
  Readiness,
  ServerMetadata,
  SignalError,
  Status,
  StatusLists,
  StreamState,
  TokenResponse,
  TransmitterMetadata,
  UserInfo,
  WebFinger,
]

const WRITERS = new Map(ANSWERS.map((schema) => [`${schema.$id}#`, writerOf(schema)]))

/**
 * Writes every answer of later routes by the schema that it refers to. Fastify's default compiles a function for each
 * route and status, a hundred, before the first request.
 */
export function writeAnswers(fastify: FastifyInstance): void {
  fastify.setSerializerCompiler(({ schema }) => {
    const { $ref } = schema as TSchema
    return WRITERS.get($ref) ?? writerOf(schema as TSchema)
  })
}
