import type { Environment } from '../io.ts'
import type { Arguments } from '../grammar/parse-flags.ts'
import { UsageError } from '../usage-error.ts'
import { readCloud } from './clouds-yaml.ts'
import { readProfile, type Profile } from './profiles.ts'

/** A name or an id of a domain, a project or a user. */
interface Reference {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/** Whom a token is for. */
export type Credential =
  | {
      readonly method: 'password'
      readonly user: Reference & { readonly domain?: Reference | undefined }
      /** Undefined: the user is asked. */
      readonly password: string | undefined
      readonly passcode?: string | undefined
    }
  | { readonly method: 'key'; readonly accessKey: string; readonly secret: string }
  | { readonly method: 'token'; readonly secret: string }

interface Scope {
  readonly project?: (Reference & { readonly domain?: Reference | undefined }) | undefined
  readonly domain?: Reference | undefined
}

/** Where to connect, and as whom. */
export interface Settings {
  /** Where the settings are from, for `auth status`. */
  readonly origin: string
  readonly authUrl: string
  readonly url: string
  readonly credential: Credential | undefined
  readonly scope: Scope | undefined
  readonly cacert: string | undefined
  readonly isInsecure: boolean
  /** Set if a profile is used. */
  readonly profile?: { readonly name: string; readonly content: Profile }
}

type Fields = Readonly<Record<string, string | undefined>>

const isTrue = (text: string | undefined): boolean => /^(?:1|true|yes)$/i.test(text ?? '')

/** An address without a path at its end: `OS_AUTH_URL` may end in `/v3`. */
export function readAddress(text: string, name: string): string {
  if (!URL.canParse(text)) throw new UsageError(`${name} is not an address: write https://HOST.`)
  const { protocol, username, password, search, hash } = new URL(text)
  if (!/^https?:$/.test(protocol))
    throw new UsageError(`${name} must begin with https:// or http://.`)
  // Its secret would be shown in errors and in lists of processes.
  if (username !== '' || password !== '') throw new UsageError(`${name} must not have a password.`)
  if (search !== '' || hash !== '') throw new UsageError(`${name} must not have a query.`)
  return text.replace(/\/+$/, '').replace(/\/v3$/, '').replace(/\/+$/, '')
}

const flagsAsFields = (args: Arguments): Fields =>
  Object.fromEntries(
    [
      'auth_url',
      'username',
      'user_domain_name',
      'project_name',
      'project_domain_name',
      'domain_name',
      'cacert',
    ].map((name) => [name, args.text(`os-${name.replaceAll('_', '-')}`)]),
  )

/** The variables of OpenStack's clients, and those that only Cloudpods' client has. */
function variablesAsFields(environment: Environment): Fields {
  const get = (...names: readonly string[]) =>
    names.map((name) => environment[name]).find((value) => value !== undefined && value !== '')
  return {
    auth_url: get('OS_AUTH_URL'),
    auth_type: get('OS_AUTH_TYPE'),
    url: get('MUSTER_API_URL'),
    username: get('OS_USERNAME'),
    user_id: get('OS_USER_ID'),
    password: get('OS_PASSWORD'),
    passcode: get('OS_PASSCODE'),
    user_domain_name: get('OS_USER_DOMAIN_NAME'),
    user_domain_id: get('OS_USER_DOMAIN_ID'),
    project_name: get('OS_PROJECT_NAME', 'OS_TENANT_NAME'),
    project_id: get('OS_PROJECT_ID', 'OS_TENANT_ID'),
    project_domain_name: get('OS_PROJECT_DOMAIN_NAME', 'OS_PROJECT_DOMAIN'),
    project_domain_id: get('OS_PROJECT_DOMAIN_ID'),
    domain_name: get('OS_DOMAIN_NAME'),
    domain_id: get('OS_DOMAIN_ID'),
    token: get('OS_TOKEN', 'OS_AUTH_TOKEN'),
    access_key: get('OS_ACCESS_KEY', 'OS_APPLICATION_CREDENTIAL_ID'),
    secret_key: get('OS_SECRET_KEY', 'OS_APPLICATION_CREDENTIAL_SECRET'),
    cacert: get('OS_CACERT'),
    insecure: get('OS_INSECURE', 'YUNION_INSECURE'),
  }
}

/** Fields of a later layer count where earlier ones have none. */
const merge = (...layers: readonly Fields[]): Fields =>
  Object.fromEntries(
    layers
      .toReversed()
      .flatMap((layer) => Object.entries(layer).filter(([, value]) => value !== undefined)),
  )

const reference = (id: string | undefined, name: string | undefined): Reference | undefined =>
  id !== undefined ? { id } : name === undefined ? undefined : { name }

function readCredential(fields: Fields): Credential | undefined {
  const { token, access_key: accessKey, secret_key: secret, password } = fields
  const type = fields['auth_type']
  if (accessKey !== undefined && secret !== undefined) return { method: 'key', accessKey, secret }
  if (token !== undefined && !/password/.test(type ?? '')) return { method: 'token', secret: token }
  const user = reference(fields['user_id'], fields['username'])
  if (!user) return undefined
  const domain =
    user.id === undefined
      ? // climc gives the domain of the user as OS_DOMAIN_NAME, beside a project.
        (reference(fields['user_domain_id'], fields['user_domain_name']) ??
        (hasProject(fields) ? reference(fields['domain_id'], fields['domain_name']) : undefined))
      : undefined
  return { method: 'password', user: { ...user, domain }, password, passcode: fields['passcode'] }
}

const hasProject = (fields: Fields): boolean =>
  fields['project_id'] !== undefined || fields['project_name'] !== undefined

function readScope(fields: Fields): Scope | undefined {
  const project = reference(fields['project_id'], fields['project_name'])
  if (project) {
    const domain =
      project.id === undefined
        ? reference(fields['project_domain_id'], fields['project_domain_name'])
        : undefined
    return { project: { ...project, ...(domain && { domain }) } }
  }
  const domain = reference(fields['domain_id'], fields['domain_name'])
  return domain && { domain }
}

function fromFields(fields: Fields, origin: string): Settings {
  const authUrl = readAddress(fields['auth_url'] ?? '', 'The address (OS_AUTH_URL)')
  return {
    origin,
    authUrl,
    url: fields['url'] === undefined ? authUrl : readAddress(fields['url'], 'MUSTER_API_URL'),
    credential: readCredential(fields),
    scope: readScope(fields),
    cacert: fields['cacert'],
    isInsecure: isTrue(fields['insecure']),
  }
}

/**
 * The settings of this command: flags, `OS_*` variables, `clouds.yaml` if it is asked for, then the profile
 * of `muster auth login`. Credentials come from the same place as the address, or from a place before it,
 * so none is sent to an address that it was not meant for.
 */
export async function readSettings(args: Arguments, environment: Environment): Promise<Settings> {
  const flags: Fields = {
    ...flagsAsFields(args),
    insecure: args.isSet('insecure') ? 'true' : undefined,
  }
  const variables = variablesAsFields(environment)
  const profile = args.text('profile')
  const cloud = args.text('os-cloud') ?? (profile === undefined ? environment['OS_CLOUD'] : '')
  const address = flags['auth_url']
  if (cloud !== undefined && cloud !== '') {
    if (address !== undefined) {
      throw new UsageError('Give --os-auth-url or a cloud of clouds.yaml, not both.')
    }
    const fields = await readCloud(cloud, environment)
    // Variables about another address do not belong to the cloud.
    const own = variables['auth_url'] === undefined ? variables : {}
    return fromFields(merge(flags, own, fields), `cloud ${cloud} of clouds.yaml`)
  }
  if (address !== undefined) {
    const isOther = variables['auth_url'] !== undefined && variables['auth_url'] !== address
    return fromFields(merge(flags, isOther ? {} : variables), 'flags')
  }
  if (profile === undefined && variables['auth_url'] !== undefined) {
    return fromFields(merge(flags, variables), 'environment variables')
  }
  return fromProfile(readProfile(environment, profile ?? environment['MUSTER_PROFILE']), flags)
}

function fromProfile({ name, content }: { name: string; content: Profile }, flags: Fields) {
  const { authUrl, url, cacert, isInsecure, token } = content
  return {
    origin: `profile ${name}`,
    authUrl,
    url,
    credential:
      readCredential(flags) ?? (token && { method: 'token' as const, secret: token.secret }),
    scope: readScope(flags),
    cacert: flags['cacert'] ?? cacert,
    isInsecure: isTrue(flags['insecure']) || isInsecure,
    profile: { name, content },
  }
}
