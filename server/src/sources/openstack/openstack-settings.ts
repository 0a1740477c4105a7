import type { SettingProblem, SourceSettings, TlsSettings } from '../../domain/sources/source.ts'
import { httpAddressProblem } from '../shared/http-address.ts'
import type { Json } from '../shared/json.ts'
import { listOption, textOption } from '../shared/setting-values.ts'
import { checkTlsSettings, readTlsSettings } from '../shared/tls-settings.ts'

const interfaces = new Set(['public', 'internal', 'admin'])

export interface OpenStackSettings {
  /** The address of Keystone, with its version. */
  readonly authUrl: string
  /** The part `identity` of an authentication request. */
  readonly identity: Json
  /** An application credential belongs to one project. */
  readonly hasFixedProject: boolean
  /** The project to authenticate in; undefined for each project of the user. */
  readonly project: Json | undefined
  readonly interface: string
  /** Empty for all regions of the catalog. */
  readonly regions: readonly string[]
  readonly tls: TlsSettings
}

/** Keystone's ids are 32 hexadecimal digits, except for the domain that it starts with. */
const isId = (text: string) => /^[0-9a-f]{32}$/.test(text)
const referToDomain = (text: string) =>
  isId(text) || text === 'default' ? { id: text } : { name: text }

/** Keystone is often named without a version. Muster speaks version 3 only. */
const withVersion = (address: string) => {
  const base = address.replace(/(?<!\/)\/+$/, '')
  return base.endsWith('/v3') ? base : `${base}/v3`
}

function identityOf({ credentials }: SourceSettings): Json {
  const { application_credential_id: id = '', application_credential_secret: secret = '' } =
    credentials
  if (id !== '') {
    return { methods: ['application_credential'], application_credential: { id, secret } }
  }
  const { username = '', password = '', user_domain = '' } = credentials
  const user = { name: username, domain: referToDomain(user_domain || 'default'), password }
  return { methods: ['password'], password: { user } }
}

export function readOpenStackSettings(settings: SourceSettings): OpenStackSettings {
  const project = textOption(settings, 'project')
  const domain = referToDomain(textOption(settings, 'project_domain', 'default'))
  return {
    authUrl: withVersion(settings.address),
    identity: identityOf(settings),
    hasFixedProject: (settings.credentials['application_credential_id'] ?? '') !== '',
    project:
      project === '' ? undefined : isId(project) ? { id: project } : { name: project, domain },
    interface: textOption(settings, 'interface', 'public'),
    regions: listOption(settings, 'regions'),
    tls: readTlsSettings(settings),
  }
}

/** Lists all problems of the settings. */
export function checkOpenStackSettings(settings: SourceSettings): readonly SettingProblem[] {
  const problems: SettingProblem[] = [...checkTlsSettings(settings)]
  const report = (path: string, problem: string | undefined) => {
    if (problem !== undefined) problems.push({ path, problem })
  }
  report('address', httpAddressProblem(settings.address))
  const given = (name: string) => (settings.credentials[name] ?? '') !== ''
  if (given('application_credential_id')) {
    if (!given('application_credential_secret')) {
      report(
        'credentials.application_credential_secret',
        'is needed with an application credential',
      )
    }
    for (const name of ['username', 'password', 'user_domain'].filter(given)) {
      report(`credentials.${name}`, 'must be empty with an application credential')
    }
    if (textOption(settings, 'project') !== '') {
      report('options.project', 'must be empty: an application credential belongs to one project')
    }
  } else if (given('application_credential_secret')) {
    report('credentials.application_credential_id', 'is needed with the secret')
  } else if (!given('username')) {
    report('credentials.username', 'is needed, unless there is an application credential')
  } else if (!given('password')) {
    report('credentials.password', 'is needed with a user name')
  }
  if (textOption(settings, 'project_domain') !== '' && textOption(settings, 'project') === '') {
    report('options.project_domain', 'has no effect without a project')
  }
  if (!interfaces.has(textOption(settings, 'interface', 'public'))) {
    report('options.interface', 'must be public, internal or admin')
  }
  return problems
}
