import { useRef, useState } from 'react'
import type { Operations } from '../../client/api-types.ts'
import { refreshAll } from '../../client/queries.ts'
import { send } from '../../client/request.ts'
import { columnsOf, type Row } from '../../collection/collection.ts'
import { ConfirmDialog } from '../../collection/confirm-dialog.tsx'
import { EndableRows } from '../../collection/endable-rows.tsx'
import { titleOf } from '../../collection/values.tsx'
import { ActionButton } from '../../parts/controls.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Empty } from '../../parts/states.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'

const tokenColumns = columnsOf<'GET /sites/{site_id}/gateway_tokens'>()(
  'id code',
  'inserted_at time',
  'last_seen_at time',
  'rotated_at time minor',
)

type Issue = (
  idempotencyKey: string,
) => Promise<{ answer: Operations['POST /sites/{site_id}/gateway_tokens']['answer'] }>

type Props = { row: Row; words: { title: string; hint: string; verb: string }; issue: Issue }

/** Issues a token, which is shown once. A confirmation first describes the effect on the old one. */
function TokenIssue({ row, words, issue }: Props) {
  const session = useSession()
  const [isConfirming, setConfirming] = useState(false)
  const [token, setToken] = useState<string>()
  const action = `${words.verb} ${titleOf(row)}`
  // Keeps the key until a token arrives, so that a retry returns the token of a lost response (A8.3).
  const key = useRef(crypto.randomUUID())
  const confirm = async () => {
    const { answer } = await issue(key.current)
    key.current = crypto.randomUUID()
    setConfirming(false)
    setToken(answer.data.token)
    await refreshAll()
  }
  return (
    <>
      <Empty
        title={words.title}
        action={
          hasScope(session, 'tokens', 'write') && (
            <ActionButton onPress={() => setConfirming(true)}>{action}</ActionButton>
          )
        }
      >
        {words.hint}
      </Empty>
      {isConfirming && (
        <ConfirmDialog
          title={`${action}?`}
          verb={words.verb}
          name={titleOf(row)}
          row={row}
          counts={[]}
          onConfirm={confirm}
          onClose={() => setConfirming(false)}
        >
          <p>{words.hint}</p>
        </ConfirmDialog>
      )}
      {token && <SecretDialog token={token} name="gateway-token" onClose={() => setToken(undefined)} />}
    </>
  )
}

/** Tokens of a site or of one gateway, without their secrets (G11). */
function Tokens({ siteId, gatewayId }: { siteId: string; gatewayId?: string }) {
  return (
    <div>
      <EndableRows
        noun="gatewayTokens"
        list="GET /sites/{site_id}/gateway_tokens"
        path={{ site_id: siteId }}
        {...(gatewayId && { query: { gateway_id: gatewayId } })}
        columns={tokenColumns}
        scope="tokens"
        remove="DELETE /sites/{site_id}/gateway_tokens/{id}"
        note={texts.confirm.gatewayTokenEnds}
      />
    </div>
  )
}

/** Creates tokens with which any number of gateways can connect a site (A22). */
export const SiteTokenPart = ({ row }: { row: Row }) => (
  <div className="panels">
    <TokenIssue
      row={row}
      words={texts.siteToken}
      issue={(idempotencyKey) =>
        send('POST /sites/{site_id}/gateway_tokens', { path: { site_id: row.id }, idempotencyKey })
      }
    />
    <Tokens siteId={row.id} />
  </div>
)

/** Replaces the token of a gateway. The old token stays valid until the new one is used, at most 4 hours (A22). */
export function GatewayTokenPart({ row }: { row: Row }) {
  const site_id = String(row.site_id)
  return (
    <div className="panels">
      <TokenIssue
        row={row}
        words={row.rotated_at ? texts.rotatingToken : texts.gatewayToken}
        issue={(idempotencyKey) =>
          send('POST /sites/{site_id}/gateways/{gateway_id}/token/rotate', {
            path: { site_id, gateway_id: row.id },
            idempotencyKey,
          })
        }
      />
      <Tokens siteId={site_id} gatewayId={row.id} />
    </div>
  )
}
