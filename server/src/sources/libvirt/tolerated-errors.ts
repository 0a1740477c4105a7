import { errorCodes } from './protocol.ts'
import { LibvirtError } from './records.ts'

/** Undefined if libvirt says that the domain or volume does not exist. */
export async function unlessGone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    const { noDomain, noStorageVolume } = errorCodes
    const isGone =
      error instanceof LibvirtError && (error.code === noDomain || error.code === noStorageVolume)
    if (isGone) return undefined
    throw error
  }
}

/** Undefined if libvirt answers with an error. For details that are not important. */
export async function ifPossible<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof LibvirtError) return undefined
    throw error
  }
}

/** The driver or the call does not exist, or what it is about was deleted since. */
const lasting: ReadonlySet<number> = new Set([
  errorCodes.noSupport,
  errorCodes.invalidArgument,
  errorCodes.noNetwork,
  errorCodes.noStoragePool,
  errorCodes.operationInvalid,
  errorCodes.noNwfilter,
  errorCodes.configUnsupported,
  errorCodes.argumentUnsupported,
  errorCodes.operationUnsupported,
])
/** The daemon is older than the call, or the daemon of a driver is not installed. */
const notInstalled = /unknown procedure|virt\w+d-sock(-ro)?': No such file/i

/** Undefined if this libvirt does not have the call. Other errors are thrown. */
export async function unlessAbsent<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    const isLasting =
      error instanceof LibvirtError && (lasting.has(error.code) || notInstalled.test(error.message))
    if (isLasting) return undefined
    throw error
  }
}

/**
 * Undefined if this libvirt does not have or allow the call. Other errors may be temporary, so they are
 * thrown.
 */
export async function unlessUnsupported<Answer>(
  answer: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await unlessAbsent(answer)
  } catch (error) {
    if (error instanceof LibvirtError && error.kind === 'forbidden') return undefined
    throw error
  }
}
