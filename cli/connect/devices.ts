import { PATHS } from '../../src/core/paths.ts'
import { type Preset, type SettingsFile, type SettingsValues, STAY_SIGNED_IN } from './preset.ts'

export const device: Preset = {
  title: 'a device without a browser',
  fields: {
    is_public: true,
    allowed_scopes: STAY_SIGNED_IN,
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    refresh_tokens: 'offline_access',
  },
  settings,
}

/** Returns a shell script that signs in on a device without a browser (RFC 8628), and its settings. */
function settings({ issuer, client_id, scope }: SettingsValues): SettingsFile[] {
  return [
    {
      file: '.env',
      language: 'sh',
      text: `ISSUER="${issuer}"
CLIENT_ID="${client_id}"
SCOPE="${scope}"
`,
    },
    {
      file: 'device.sh',
      language: 'sh',
      text: `. ./.env
field() { printf '%s' "$answer" | sed -n "s/.*\\"$1\\":\\"\\{0,1\\}\\([^\\",}]*\\).*/\\1/p"; }
answer=$(curl -sS "$ISSUER${PATHS.device_authorization}" \\
  --data-urlencode "client_id=$CLIENT_ID" --data-urlencode "scope=$SCOPE")
device_code=$(field device_code)
interval=$(field interval)
if [ -z "$device_code" ]; then echo "$answer" >&2; exit 1; fi
echo "Open $(field verification_uri) and enter $(field user_code)" >&2
while :; do
  sleep "$interval"
  answer=$(curl -sS "$ISSUER${PATHS.token}" --data-urlencode "device_code=$device_code" \\
    --data-urlencode "client_id=$CLIENT_ID" \\
    --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:device_code) || continue
  case "$(field error)" in
    '') echo "$answer"; exit ;;
    authorization_pending | temporarily_unavailable) ;;
    slow_down) interval=$((interval + 5)) ;;
    *) echo "$answer" >&2; exit 1 ;;
  esac
done
`,
      run: 'sh device.sh',
    },
  ]
}
