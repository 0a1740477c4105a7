import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { wrongOr } from '../../api/wrong-or.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { useSession } from '../../session/use-session.ts'

/** Sends a code of a second factor with the session, and the properties of its field. */
export function useVerifyCode(onVerified: () => Promise<void> | void) {
  const { session: t } = useMessages()
  const { user } = useSession()
  const [passcode, setPasscode] = useState('')
  const verify = useMutation({
    mutationFn: () =>
      wrongOr(() =>
        api.verifyFactor({ parameters: { id: user.id }, body: { factor: { passcode } } }),
      ),
    async onSuccess(answer) {
      if (answer === 'wrong') setPasscode('')
      else await onVerified()
    },
  })
  const isWrong = verify.data === 'wrong'
  return {
    verify,
    isWrong,
    field: {
      value: passcode,
      onChange: setPasscode,
      error: isWrong && passcode === '' ? t.wrongCode : undefined,
    },
  }
}
