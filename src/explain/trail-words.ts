import { type ReasonLanguage, textOf } from './texts.ts'
import type { TrailStep, VerdictName } from './trail-step.ts'

/** A step as its sentence needs it. */
type Told = Omit<TrailStep, 'sentence'>

/** What a verdict is about: the last step, with what to do about a refusal. */
type Judged = Partial<Told> & { readonly advice?: string }

interface Words {
  readonly steps: Readonly<Record<TrailStep['step'], (told: Told) => string>>
  readonly verdicts: Readonly<Record<VerdictName, (judged: Judged) => string>>
  /** What is added if steps are missing. */
  more(count: number): string
}

const from = ({ from }: Judged, words: string) => (from === undefined ? '' : ` ${words} ${from}`)
const faultOf = ({ fault }: Judged) => (fault === undefined ? '' : ` (${fault})`)
const clock = ({ at }: Judged) => (at === undefined ? '' : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'))

function why({ reason, fault }: Judged, language: ReasonLanguage): string {
  const what = reason === undefined ? '' : textOf(reason, language).what.replace(/\.$/, '')
  return what + faultOf({ fault } as Judged)
}

const EN: Words = {
  steps: {
    discovery: (told) =>
      `Somebody${from(told, 'at')} read the metadata of this server: that it was this client is known by network and time only.`,
    document: () => 'This server read the document that describes the client.',
    registered: (told) => `The client registered itself${from(told, 'from')}.`,
    invited: (told) => `The client registered itself by an invitation${from(told, 'from')}.`,
    asked: (told) => `A sign-in for the client was opened${from(told, 'at')}.`,
    authorized: ({ username = 'A person' }) => `${username} finished the sign-in for the client.`,
    token: (told) =>
      `The client took ${told.format === 'jwt' ? 'a JWT' : 'an opaque token'} for ${told.resource ?? 'this server'}${from(told, 'from')}.`,
    api: (told) => `${apiEn(told)}: the token counts.`,
    api_refused: (told) => `${apiEn(told)}: the token was refused. ${why(told, 'en')}.`,
    refused: (told) => `Refused here (${told.endpoint}): ${why(told, 'en')}.`,
  },
  verdicts: {
    none: () =>
      'Nothing of this client is kept: it did not come here lately. Look at the client: it may use another server, or another client_id.',
    registered: (last) =>
      `The client is known since ${clock(last)}, and has begun no sign-in since: look at the client.`,
    asked: (last) =>
      `The page of a sign-in was opened at ${clock(last)}, and nobody finished it since: the person is to act. Anybody can open such a page.`,
    authorized: (last) =>
      `The sign-in was finished at ${clock(last)}, and the client did not fetch its token since: look at the client, first at what receives its redirect URI.`,
    token_opaque: (last) =>
      `The client took a token at ${clock(last)}, and no API asked about it since: look at the client. Only if its log shows that it called the API, look at the API: it does not ask this server.`,
    token_jwt: (last) =>
      `The client took a token at ${clock(last)}. APIs check such tokens themselves, and whether it called one cannot be seen from here: look for a request after this time in the log of ${last.resource ?? 'the API'}. If there is none, look at the client, else at the API.`,
    token_unheard: (last) =>
      `The client took a token, and an API that asked about tokens since, as ${last.by}, was refused itself: look at the API. redmint explain ${last.request} says why.`,
    api: (last) =>
      `${last.by} asked about the token at ${clock(last)} and was told that it counts: what fails after that is between the client and this API. Look at the API.`,
    own: (last) => `This server accepted the token at ${clock(last)}: nobody is to act.`,
    api_refused: (last) =>
      `The token was refused at ${clock(last)}: ${why(last, 'en')}. ${adviceOf(last, 'en')}`,
    refused: (last) =>
      `The last request of the client was refused here at ${clock(last)}: ${why(last, 'en')}. ${last.advice} redmint explain ${last.request} says more.`,
    waits: (last) => `The device waits since ${clock(last)} for the person, who is to act.`,
  },
  more: (count) =>
    `${count} more steps of this client are only counted: one that is missing here may be among them.`,
}

const DE: Words = {
  steps: {
    discovery: (told) =>
      `Jemand${from(told, 'unter')} hat die Metadaten dieses Servers gelesen: Dass es dieser Client war, ist nur aus Netz und Zeit bekannt.`,
    document: () => 'Dieser Server hat das Dokument gelesen, das den Client beschreibt.',
    registered: (told) => `Der Client hat sich selbst registriert${from(told, 'von')}.`,
    invited: (told) => `Der Client hat sich mit einer Einladung registriert${from(told, 'von')}.`,
    asked: (told) => `Eine Anmeldung für den Client wurde geöffnet${from(told, 'unter')}.`,
    authorized: ({ username = 'Eine Person' }) => `${username} hat die Anmeldung für den Client beendet.`,
    token: (told) =>
      `Der Client hat ${told.format === 'jwt' ? 'ein JWT' : 'ein opakes Token'} für ${told.resource ?? 'diesen Server'} abgeholt${from(told, 'von')}.`,
    api: (told) => `${apiDe(told)}: Das Token gilt.`,
    api_refused: (told) => `${apiDe(told)}: Das Token wurde abgelehnt. ${why(told, 'de')}.`,
    refused: (told) => `Hier abgelehnt (${told.endpoint}): ${why(told, 'de')}.`,
  },
  verdicts: {
    none: () =>
      'Von diesem Client ist nichts aufgehoben: Er war in letzter Zeit nicht hier. Sehen Sie beim Client nach: Vielleicht nutzt er einen anderen Server oder eine andere client_id.',
    registered: (last) =>
      `Der Client ist seit ${clock(last)} bekannt und hat seitdem keine Anmeldung begonnen: Sehen Sie beim Client nach.`,
    asked: (last) =>
      `Die Seite einer Anmeldung wurde um ${clock(last)} geöffnet, und seitdem hat sie niemand beendet: Die Person ist am Zug. Jeder kann eine solche Seite öffnen.`,
    authorized: (last) =>
      `Die Anmeldung war um ${clock(last)} beendet, und der Client hat sein Token seitdem nicht abgeholt: Sehen Sie beim Client nach, zuerst bei dem, was seine Redirect-URI annimmt.`,
    token_opaque: (last) =>
      `Der Client hat um ${clock(last)} ein Token abgeholt, und seitdem hat keine API danach gefragt: Sehen Sie beim Client nach. Nur wenn sein Protokoll zeigt, dass er die API aufrief, sehen Sie bei der API nach: Sie fragt diesen Server nicht.`,
    token_jwt: (last) =>
      `Der Client hat um ${clock(last)} ein Token abgeholt. APIs prüfen solche Token selbst, und ob er eine aufrief, ist von hier nicht zu sehen: Suchen Sie im Protokoll von ${last.resource ?? 'der API'} eine Anfrage nach dieser Zeit. Gibt es keine, sehen Sie beim Client nach, sonst bei der API.`,
    token_unheard: (last) =>
      `Der Client hat ein Token abgeholt, und eine API, die seitdem als ${last.by} nach Token fragte, wurde selbst abgelehnt: Sehen Sie bei der API nach. redmint explain ${last.request} sagt, warum.`,
    api: (last) =>
      `${last.by} hat um ${clock(last)} nach dem Token gefragt und erfahren, dass es gilt: Was danach scheitert, ist zwischen dem Client und dieser API. Sehen Sie bei der API nach.`,
    own: (last) => `Dieser Server hat das Token um ${clock(last)} angenommen: Niemand ist am Zug.`,
    api_refused: (last) =>
      `Das Token wurde um ${clock(last)} abgelehnt: ${why(last, 'de')}. ${adviceOf(last, 'de')}`,
    refused: (last) =>
      `Die letzte Anfrage des Clients wurde hier um ${clock(last)} abgelehnt: ${why(last, 'de')}. ${last.advice} redmint explain ${last.request} sagt mehr.`,
    waits: (last) => `Das Gerät wartet seit ${clock(last)} auf die Person: Sie ist am Zug.`,
  },
  more: (count) =>
    `${count} weitere Schritte dieses Clients sind nur gezählt: Einer, der hier fehlt, kann darunter sein.`,
}

const WORDS: Readonly<Record<ReasonLanguage, Words>> = { en: EN, de: DE }

function apiEn({ endpoint, by }: Told): string {
  if (by === undefined) return `The client showed the token to this server (${endpoint})`
  if (endpoint === 'token') return `${by} exchanged the token`
  return endpoint === 'forward_auth'
    ? `The proxy of ${by} asked about the token`
    : `${by} asked about the token`
}

function apiDe({ endpoint, by }: Told): string {
  if (by === undefined) return `Der Client hat das Token diesem Server gezeigt (${endpoint})`
  if (endpoint === 'token') return `${by} hat das Token getauscht`
  return endpoint === 'forward_auth'
    ? `Der Proxy von ${by} hat nach dem Token gefragt`
    : `${by} hat nach dem Token gefragt`
}

const adviceOf = ({ reason }: Judged, language: ReasonLanguage) =>
  reason === undefined ? '' : textOf(reason, language).advice

/** What a step was, as one sentence. */
export const stepSentence = (told: Told, language: ReasonLanguage): string =>
  WORDS[language].steps[told.step](told)

/** Who is to act, and why. @param more how many steps are missing */
export function verdictSentence(
  name: VerdictName,
  judged: Judged,
  more: number,
  language: ReasonLanguage,
): string {
  const { verdicts, more: missing } = WORDS[language]
  const said = verdicts[name](judged).trim()
  return more > 0 ? `${said} ${missing(more)}` : said
}
