import { useState } from 'react'
import { isServed } from '../../client/coming.ts'
import { refreshAll } from '../../client/queries.ts'
import { send } from '../../client/request.ts'
import { ConfirmDialog } from '../../collection/confirm-dialog.tsx'
import type { Flow } from '../../logs/entries.ts'
import { plainText } from '../../parts/characters.ts'
import { ActionButton } from '../../parts/controls.tsx'
import { notify } from '../../parts/notice.tsx'
import { Time } from '../../parts/time.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'

/** Authorization of an open flow: when it expires, and a button that ends it (G10). The client can obtain another one. */
export function FlowAuthorization({ flow }: { flow: Flow }) {
  const session = useSession()
  const [isConfirming, setConfirming] = useState(false)
  const expiry = flow.authorization_expires_at
  if (flow.flow_end !== null || !expiry) return null
  const isInForce = Date.parse(expiry) > Date.now()
  const canEnd = isServed('DELETE /authorizations/{id}') && hasScope(session, 'clients', 'write')
  const end = async () => {
    await send('DELETE /authorizations/{id}', { path: { id: flow.policy_authorization_id } })
    setConfirming(false)
    notify(texts.flows.ended)
    await refreshAll()
  }
  return (
    <>
      <span className="minor">
        {isInForce ? texts.flows.until : texts.flows.expired} <Time value={expiry} />
      </span>
      {isInForce && canEnd && (
        <ActionButton tone="quiet" onPress={() => setConfirming(true)}>
          {texts.flows.end}
        </ActionButton>
      )}
      {isConfirming && (
        <ConfirmDialog
          title={texts.flows.end}
          verb={texts.flows.end}
          name={plainText(flow.initiator_actor_name ?? '')}
          row={{ id: flow.policy_authorization_id }}
          counts={[]}
          isDanger
          onConfirm={end}
          onClose={() => setConfirming(false)}
        >
          <p>{texts.flows.endHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
