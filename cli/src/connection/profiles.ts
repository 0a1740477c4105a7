import { join } from 'node:path'
import { CommandError } from '../command-error.ts'
import type { Environment } from '../io.ts'
import { configFolder } from './folders.ts'
import { readJson, writePrivateJson } from './private-file.ts'

export interface StoredToken {
  readonly secret: string
  readonly expiresAt: string
  /** The addresses that it is sent to: those of the service that issued it. */
  readonly authUrl: string
  readonly url: string
}

/** What `muster auth login` stores. It has a token and never a password. */
export interface Profile {
  readonly authUrl: string
  readonly url: string
  readonly cacert?: string | undefined
  readonly isInsecure: boolean
  readonly user: string
  readonly token?: StoredToken | undefined
}

interface ProfileFile {
  readonly current: string
  readonly profiles: Readonly<Record<string, Profile>>
}

const defaultName = 'default'

const fileOf = (environment: Environment): string =>
  join(configFolder(environment), 'profiles.json')

const readFile = (environment: Environment): ProfileFile => {
  const { current = defaultName, profiles = {} } = readJson<ProfileFile>(fileOf(environment))
  return { current, profiles }
}

export const listProfiles = (environment: Environment): string[] =>
  Object.keys(readFile(environment).profiles)

/** The name of the profile that is used if none is named. */
export const currentProfile = (environment: Environment): string => readFile(environment).current

/** A profile by name, or the one of the last login. */
export function readProfile(environment: Environment, name?: string) {
  const { current, profiles } = readFile(environment)
  const wanted = name ?? current
  const content = Object.hasOwn(profiles, wanted) ? profiles[wanted] : undefined
  if (content) return { name: wanted, content: withOwnToken(content) }
  throw new CommandError(
    'unauthenticated',
    name === undefined
      ? 'You are not logged in. Run "muster auth login --url https://HOST", or set OS_AUTH_URL, OS_USERNAME and OS_PASSWORD.'
      : `There is no profile "${name}". Run "muster auth login --profile ${name} --url https://HOST".`,
  )
}

/** A token that another address issued, in a file that somebody edited, is not used. */
function withOwnToken(profile: Profile): Profile {
  const { token, authUrl, url } = profile
  const isOwn = token?.authUrl === authUrl && token.url === url
  return isOwn ? profile : { ...profile, token: undefined }
}

/** Stores a profile and makes it the current one. */
export function writeProfile(environment: Environment, name: string, profile: Profile): void {
  const { profiles } = readFile(environment)
  writePrivateJson(fileOf(environment), {
    current: name,
    profiles: { ...profiles, [name]: profile },
  } satisfies ProfileFile)
}

/** Removes the token. The address stays, so that the next login needs no flag. */
export function forgetToken(environment: Environment, name: string): void {
  const { current, profiles } = readFile(environment)
  const { token: _, ...profile } = profiles[name] ?? {}
  writePrivateJson(fileOf(environment), { current, profiles: { ...profiles, [name]: profile } })
}
