import { settleCodeRequest } from '../../api/code-request.ts'
import { sessionQuery } from '../../api/queries/session.ts'
import { queryClient } from '../../api/query-client.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { PasscodeField } from '../../form/passcode-field.tsx'
import { useAllMessages } from '../../messages/use-messages.ts'
import { useVerifyCode } from './use-verify-code.ts'

/** Asks for a code while a change waits for it, which is then sent again. */
export function CodeDialog() {
  const { factors: t } = useAllMessages()
  const { verify, isWrong, field } = useVerifyCode(() => {
    settleCodeRequest(true)
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  })
  return (
    <FormDialog
      title={t.verifyTitle}
      submit={t.continue}
      onSubmit={() => verify.mutate()}
      onClose={() => settleCodeRequest(false)}
      busy={verify.isPending}
      error={verify.error}
      isShownByFields={isWrong}
    >
      <p>{t.freshText}</p>
      <PasscodeField {...field} />
    </FormDialog>
  )
}
