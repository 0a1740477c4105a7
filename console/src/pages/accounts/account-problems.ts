import type { CloudProvider } from '@muster/contract'
import { problemsOf } from '../../form/field-problems.ts'
import { typesCredentials, type AccountValues, type Settings } from './account-values.ts'

/** A validation error: found by the form, or returned by the API. */
type Problem =
  | { readonly kind: 'required' | 'integer' | 'period' | 'requestTimeout' | 'maxActions' }
  /** `test`, `sync`: the source refused the settings, or could not be reached with them. */
  | { readonly kind: 'api' | 'test' | 'sync'; readonly text: string }

/** By the path of the field in the request, such as `options.regions`. */
export type Problems = Readonly<Record<string, Problem>>

const minSyncPeriod = 5
const longestPeriod = 86_400
const longestRequest = 300
const mostActions = 100

const isInteger = (text: string) => /^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(+text)
const isBetween = (text: string, least: number, most: number) =>
  isInteger(text) && +text >= least && +text <= most

type Found = [path: string, problem: Problem]

function* findInSettings(
  provider: CloudProvider,
  settings: Settings,
  keepsCredentials: boolean,
): Generator<Found> {
  if (provider.address.required && settings.address.trim() === '') {
    yield ['address', { kind: 'required' }]
  }
  const areCredentialsGiven = !keepsCredentials || typesCredentials(settings)
  for (const { name, required } of provider.credentials) {
    const isMissing = required && settings.credentials[name] === ''
    if (isMissing && areCredentialsGiven) yield [`credentials.${name}`, { kind: 'required' }]
  }
  for (const { name, type, required } of provider.options) {
    const text = settings.options[name] ?? ''
    const path = `options.${name}`
    if (text.trim() === '') {
      if (required) yield [path, { kind: 'required' }]
    } else if (type === 'integer' && !isInteger(text)) yield [path, { kind: 'integer' }]
  }
}

/** A new account has defaults for numbers that are left out. */
function* findInRest(values: AccountValues, hasDefaults: boolean): Generator<Found> {
  const { name, projectId, period, requestTimeout, maxActions } = values
  if (name.trim() === '') yield ['name', { kind: 'required' }]
  if (projectId === '') yield ['project_id', { kind: 'required' }]
  const isWrong = (text: string, least: number, most: number) =>
    !(hasDefaults && text.trim() === '') && !isBetween(text, least, most)
  if (isWrong(maxActions, 1, mostActions)) yield ['max_actions', { kind: 'maxActions' }]
  if (isWrong(requestTimeout, 1, longestRequest))
    yield ['request_timeout', { kind: 'requestTimeout' }]
  if (isWrong(period, minSyncPeriod, longestPeriod)) yield ['period', { kind: 'period' }]
}

/** Validates the connection settings. An existing account may keep its credentials. */
export const checkSettings = (
  provider: CloudProvider,
  settings: Settings,
  isExisting: boolean,
): Problems => Object.fromEntries(findInSettings(provider, settings, isExisting))

/** Validates the whole form. */
export const checkAccount = (
  provider: CloudProvider,
  values: AccountValues,
  isExisting: boolean,
): Problems =>
  Object.fromEntries([
    ...findInRest(values, !isExisting),
    ...findInSettings(provider, values.settings, isExisting),
  ])

/** Paths are cut to the control: `options.regions.3` becomes `options.regions`. */
const steps = 2

/** The API's field errors by control. */
export const problemsFrom = (error: unknown): Problems =>
  Object.fromEntries(
    Object.entries(problemsOf(error, 'cloudaccount', steps)).map(([path, text]): Found => [
      path,
      { kind: 'api', text },
    ]),
  )
