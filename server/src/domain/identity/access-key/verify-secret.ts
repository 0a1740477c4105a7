import { createHash, timingSafeEqual } from 'node:crypto'
import type { AccessKeySecret } from './read-access-key-secret.ts'
import { verifySignature } from './verify-signature.ts'

type Verdict =
  | { readonly isRight: true; readonly isStrict: boolean }
  | { readonly isRight: false; readonly reason: string }

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Whether whoever sent this has the secret: by a signature, or by showing it. */
export function verifySecret(
  shown: AccessKeySecret,
  secret: string,
  now: number,
  audience: string,
): Verdict {
  if (shown.form === 'signed') return verifySignature(shown, secret, now, audience)
  return timingSafeEqual(digest(shown.secret), digest(secret))
    ? { isRight: true, isStrict: false }
    : { isRight: false, reason: 'unknown key, or not its secret' }
}
