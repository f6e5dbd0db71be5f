import type { FastifyInstance } from 'fastify'
import type { MetricsOptions } from './plugins/metrics.ts'
import { type ApplicationOptions, roomFaults } from './rooms/application.ts'
import type { ReplacedRooms } from './rooms.ts'
import { ConfigError } from './src/config/config-error.ts'
import { consoleNeedsOrigin } from './src/config/console-settings.ts'
import type { OptionRule } from './src/config/option-form.ts'
import { hasOwnPage } from './src/config/own-pages.ts'
import { completeSettings, type Settings } from './src/config/settings.ts'
import type { ContextOptions, ReplaceableParts } from './src/context.ts'
import { isObject } from './src/core/json.ts'
import { methodFaults } from './src/interaction/sign-in-method.ts'

/** The options: settings, and the following. Settings that are left out have the defaults of the environment variables. */
export interface RedmintOptions
  extends Partial<Settings>,
    Omit<ContextOptions, 'settings'>,
    ApplicationOptions,
    MetricsOptions {
  /** The base address: an origin, or an origin and a path, below which the endpoints are. */
  issuer: string
  /** Whether nothing else is served here: `/` is a page, and so are unknown paths in a browser. Default: false. */
  home?: boolean
  /** Whether to log, once it listens, what demo mode left in storage: of several workers, one does. Default: true. */
  warn_of_leftovers?: boolean
  /** Another instance, which answers what only operators need; by default the service itself does. */
  management?: FastifyInstance
}

/** The parts of the service that tests replace. */
export interface TestParts extends ReplaceableParts, ReplacedRooms {}

const isFunction = (value: unknown) => typeof value === 'function'
const FUNCTION: OptionRule = { option: 'a function', accepts: isFunction }
const FLAG: OptionRule = { option: 'true or false', accepts: (value) => typeof value === 'boolean' }

/** What the options that are not settings must be. */
const OPTIONS: Readonly<Record<Exclude<keyof RedmintOptions, keyof Settings>, OptionRule>> = {
  storage: { option: 'what openStorage returns', accepts: (value) => isObject(value) && 'records' in value },
  home: FLAG,
  warn_of_leftovers: FLAG,
  reads_environment: FLAG,
  drain: { option: 'an AbortSignal', accepts: (value) => value instanceof AbortSignal },
  management: {
    option: 'another Fastify instance',
    accepts: (value) => isObject(value) && isFunction(value.register),
  },
  gather: FUNCTION,
  methods: {
    option: 'an array of sign-in methods',
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isObject),
    faults: methodFaults,
  },
  account_source: {
    option: 'an object with a function find',
    accepts: (value) => isObject(value) && isFunction(value.find),
  },
  rooms: {
    option: 'an array of rooms',
    accepts: (value) => Array.isArray(value) && value.every(isObject),
    faults: roomFaults,
  },
}

/**
 * Returns the settings in the options.
 * @throws ConfigError that lists all problems
 */
export function readOptions(options: RedmintOptions, fastify: FastifyInstance): Settings {
  const settings = completeSettings(options, OPTIONS)
  const { management } = options
  // That of a parent: metadata is at the root of the host (RFC 8414 §3.1, RFC 9728 §3.1).
  if (fastify.prefix !== '') {
    throw new ConfigError([
      `the instance has the prefix ${fastify.prefix}: register redmint on one without a prefix, and with an issuer with this path`,
    ])
  }
  if (settings.console === 'on' && management !== undefined && settings.console_origin === undefined)
    throw new ConfigError([consoleNeedsOrigin('console', 'console_origin')])
  if (hasOwnPage(settings)) demandLongParameters(management ?? fastify)
  return settings
}

// The path of a challenge is as long as a request line.
const LONGEST_PARAMETER = 16_384

/** @throws ConfigError if the instance would not find the path of a challenge */
function demandLongParameters({ initialConfig }: FastifyInstance): void {
  // A group of options that is given has its own defaults, and counts before the older place.
  const { routerOptions = initialConfig } = initialConfig as { readonly routerOptions?: object }
  const { maxParamLength = 0 } = routerOptions as { readonly maxParamLength?: number }
  if (maxParamLength >= LONGEST_PARAMETER) return
  throw new ConfigError([
    `login_url and consent_url need an instance that takes long parameters in paths: Fastify({ routerOptions: { maxParamLength: ${LONGEST_PARAMETER} } })`,
  ])
}
