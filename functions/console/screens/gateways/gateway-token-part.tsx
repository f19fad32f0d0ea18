import { useRef, useState } from 'react'
import { useParams } from 'wouter'
import { type Problem, toProblem } from '../../client/problem.ts'
import { refreshAll } from '../../client/queries.ts'
import { send } from '../../client/request.ts'
import type { Row } from '../../collection/collection.ts'
import { ConfirmDialog } from '../../collection/confirm-dialog.tsx'
import { titleOf } from '../../collection/values.tsx'
import { ActionButton } from '../../parts/controls.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'

/** Replaces the token of a gateway. The old token stays valid until the new one is used, at most 4 hours (A22). */
export function GatewayTokenPart({ row }: { row: Row }) {
  const session = useSession()
  const { site_id = '' } = useParams<{ site_id: string }>()
  const [isConfirming, setConfirming] = useState(false)
  const [token, setToken] = useState<string>()
  const [problem, setProblem] = useState<Problem>()
  const key = useRef(crypto.randomUUID())
  const rotate = async () => {
    const options = { path: { site_id, gateway_id: row.id }, idempotencyKey: key.current }
    const { answer } = await send('POST /sites/{site_id}/gateways/{gateway_id}/token/rotate', options)
    key.current = crypto.randomUUID()
    setConfirming(false)
    setToken(answer.data.token)
    await refreshAll()
  }
  return (
    <>
      <Empty
        title={row.rotated_at ? texts.gatewayToken.rotating : texts.gatewayToken.title}
        action={
          hasScope(session, 'tokens', 'write') && (
            <ActionButton onPress={() => setConfirming(true)}>{texts.gatewayToken.rotate}</ActionButton>
          )
        }
      >
        {texts.gatewayToken.hint}
      </Empty>
      {problem && <Failed problem={problem} />}
      {isConfirming && (
        <ConfirmDialog
          title={texts.gatewayToken.rotate}
          verb={texts.gatewayToken.verb}
          name={titleOf(row)}
          row={row}
          counts={[]}
          onConfirm={() => rotate().catch((error) => setProblem(toProblem(error)))}
          onClose={() => setConfirming(false)}
        >
          <p>{texts.gatewayToken.hint}</p>
        </ConfirmDialog>
      )}
      {token && <SecretDialog token={token} name="gateway-token" onClose={() => setToken(undefined)} />}
    </>
  )
}
