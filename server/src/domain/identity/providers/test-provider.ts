import { longestProviderTest, type ProviderTest } from '@muster/contract'
import { PlatformError } from '../../error.ts'
import { OptionError, type Check, type ProviderDriver } from '../provider-driver.ts'
import type { ProviderOptions } from './read-options.ts'

/** Characters of a text. A provider writes parts of some. */
const longestText = 300

/** Codes of Node.js for a certificate of an authority that is not trusted. */
const unknownAuthority =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|CERT_UNTRUSTED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)\w*)$/

const untrusted =
  'the certificate is signed by an unknown authority. Set the certificate of that authority as ca'

/** The failed login has the reason as its cause. */
export const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return error instanceof PlatformError && typeof cause === 'string' ? cause : message
}

function hasUnknownAuthority(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { readonly code?: unknown }
  return (
    (typeof code === 'string' && unknownAuthority.test(code)) || hasUnknownAuthority(error.cause)
  )
}

/** Texts of other hosts cannot forge lines or pages of a log. */
const limit = (text: string): string => text.replaceAll(/\p{C}/gu, ' ').slice(0, longestText)

type FoundCheck = ProviderTest['checks'][number]

/** Runs the checks of a driver with some options. */
export async function testProvider(
  driver: ProviderDriver,
  options: ProviderOptions,
): Promise<ProviderTest> {
  const start = performance.now()
  const checks: FoundCheck[] = []
  let running: Pick<FoundCheck, 'name' | 'option'> | undefined
  let isOver = false

  function fail(check: Pick<FoundCheck, 'name' | 'option'>, error: unknown): void {
    if (isOver) return
    const isUntrusted = hasUnknownAuthority(error)
    const text = limit(isUntrusted ? untrusted : reasonOf(error))
    const usual = isUntrusted && Object.hasOwn(driver.options, 'ca') ? 'ca' : check.option
    const option = error instanceof OptionError ? error.option : usual
    checks.push({ name: check.name, ok: false, text, option })
  }

  const check: Check = async (name, option, work) => {
    running = { name, option }
    try {
      const { found, value } = await work()
      if (!isOver) checks.push({ name, ok: true, text: limit(found), option: '' })
      return { value }
    } catch (error) {
      fail({ name, option }, error)
      return undefined
    } finally {
      running = undefined
    }
  }

  try {
    await driver.test(options, check, start + longestProviderTest * 1_000)
  } catch (error) {
    // The connection ended during a check.
    if (!running) throw error
    fail(running, error)
  } finally {
    isOver = true
  }
  return {
    ok: checks.every(({ ok }) => ok),
    checks,
    duration_ms: Math.round(performance.now() - start),
  }
}
