import type { FactorNeed } from '@muster/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { PasscodeField } from '../../form/passcode-field.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { logOut } from '../../session/log-out.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { AddFactorDialog } from './add-factor-dialog.tsx'
import styles from './factors.module.css'
import { useVerifyCode } from './use-verify-code.ts'

interface Props {
  readonly need: FactorNeed
  readonly isAdding: boolean
  readonly onAdding: (isAdding: boolean) => void
}

/** Instead of any page, while the session first needs a second factor, or a code of it. */
export function FactorGate({ need, isAdding, onAdding }: Props) {
  const { factors: t, frame } = useAllMessages()
  const queryClient = useQueryClient()
  const leave = useMutation({ mutationFn: logOut })
  const isVerifying = need === 'verify' && !isAdding
  return (
    <main className={styles.gate}>
      <PageTitle>{isVerifying ? t.verifyTitle : t.enrolTitle}</PageTitle>
      <p>{isVerifying ? t.verifyText : t.enrolText}</p>
      {isVerifying ? (
        <VerifyForm />
      ) : (
        <Button look="primary" icon="plus" onClick={() => onAdding(true)}>
          {t.add}
        </Button>
      )}
      {leave.isError && <ErrorNotice error={leave.error} />}
      <Button look="quiet" busy={leave.isPending} onClick={() => leave.mutate()}>
        {frame.logOut}
      </Button>
      {isAdding && (
        <AddFactorDialog
          onClose={async () => {
            await queryClient.invalidateQueries()
            onAdding(false)
          }}
        />
      )}
    </main>
  )
}

function VerifyForm() {
  const { factors: t } = useAllMessages()
  const queryClient = useQueryClient()
  const { verify, isWrong, field } = useVerifyCode(() => queryClient.invalidateQueries())
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!verify.isPending) verify.mutate()
      }}
    >
      {verify.isError && !isWrong && <ErrorNotice error={verify.error} />}
      <PasscodeField {...field} />
      <Button look="primary" type="submit" busy={verify.isPending}>
        {t.continue}
      </Button>
    </form>
  )
}
