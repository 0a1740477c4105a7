import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Environment } from '../io.ts'
import { UsageError } from '../usage-error.ts'

type Fields = Readonly<Record<string, string | undefined>>
type Cloud = Readonly<Record<string, unknown>>

/** Where OpenStack's clients look for the file. */
function findFile(environment: Environment): string | undefined {
  const home = environment['HOME'] ?? homedir()
  const folders = [
    '.',
    join(environment['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'openstack'),
    '/etc/openstack',
  ]
  const named = environment['OS_CLIENT_CONFIG_FILE']
  return [
    ...(named === undefined ? [] : [named]),
    ...folders.flatMap((folder) => [join(folder, 'clouds.yaml'), join(folder, 'clouds.yml')]),
  ].find((file) => existsSync(file))
}

async function readClouds(file: string): Promise<Readonly<Record<string, Cloud>>> {
  if (!existsSync(file)) return {}
  const { parse } = await import('yaml')
  try {
    const content = parse(readFileSync(file, 'utf8')) as {
      readonly clouds?: Readonly<Record<string, Cloud>>
    } | null
    return content?.clouds ?? {}
  } catch {
    // The error of the parser would quote a line, which may have a password.
    throw new UsageError(`${file} is not valid YAML.`)
  }
}

const section = (cloud: Cloud, name: string): Cloud => (cloud[name] ?? {}) as Cloud

/** The fields of a cloud, with the secrets of `secure.yaml` beside it. */
export async function readCloud(name: string, environment: Environment): Promise<Fields> {
  const file = findFile(environment)
  if (file === undefined) throw new UsageError(`There is no clouds.yaml, so no cloud "${name}".`)
  const clouds = await readClouds(file)
  const cloud = clouds[name]
  if (!cloud) {
    const known = Object.keys(clouds).join(', ')
    throw new UsageError(`There is no cloud "${name}" in ${file}. It has: ${known}.`)
  }
  const secure = (await readClouds(join(dirname(file), 'secure.yaml')))[name] ?? {}
  const auth = { ...section(cloud, 'auth'), ...section(secure, 'auth') }
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  const fields = Object.fromEntries(Object.entries(auth).map(([key, value]) => [key, text(value)]))
  return {
    ...fields,
    auth_type: text(cloud['auth_type']),
    access_key: fields['access_key'] ?? fields['application_credential_id'],
    secret_key: fields['secret_key'] ?? fields['application_credential_secret'],
    cacert: text(cloud['cacert']),
    insecure: cloud['verify'] === false ? 'true' : undefined,
  }
}
