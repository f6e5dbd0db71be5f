import { android, ios, mcp } from './apps.ts'
import { device } from './devices.ts'
import { express, nextjs, react } from './javascript.ts'
import { dotnet, go, machine } from './languages.ts'
import { argocd, grafana, kubernetes } from './platforms.ts'
import type { Preset } from './preset.ts'
import { apache, nginx } from './proxies.ts'
import { django, fastapi, flask } from './python.ts'
import { spring, springApi } from './spring.ts'

/** The frameworks of `client add --for`, in the order of messages. Each has a page of this name in docs/connect/. */
export const PRESETS = {
  nextjs,
  express,
  spring,
  'spring-api': springApi,
  django,
  flask,
  fastapi,
  go,
  dotnet,
  apache,
  nginx,
  grafana,
  kubernetes,
  argocd,
  react,
  ios,
  android,
  mcp,
  device,
  machine,
} satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
