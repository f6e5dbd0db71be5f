import type { OwnRoom } from '../plugins/room.ts'
import { hasWebPush } from '../src/config/web-push-settings.ts'
import type { PublicRequestOptions } from '../src/outbound/public-request.ts'

/** Tells browsers of people that somebody asks them (RFC 8030, RFC 8291, RFC 8292). @param replaced what tests replace */
export const webPush = (replaced: Partial<PublicRequestOptions>): OwnRoom => ({
  name: 'web-push',
  isOn: hasWebPush,
  async load(ground) {
    const { PushSender } = await import('../src/asks/push/sender.ts')
    const { readVapid } = await import('../src/asks/push/vapid.ts')
    const { default: scripts } = await import('../routes/notices.ts')
    const vapid = readVapid(ground.settings)
    if (vapid === undefined) return {}
    const sender = new PushSender({ ...ground, vapid }, { allow_private: false, ...replaced })
    return {
      hears: {
        event(event) {
          if (event.event !== 'person_asked') return
          sender.tell({ username: String(event.username), expires_in: Number(event.expires_in) })
        },
      },
      routes: [{ scope: 'users', plugin: scripts }],
      workers: [sender],
    }
  },
})
