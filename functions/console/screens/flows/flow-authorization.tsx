import { useState } from 'react'
import { isServed } from '../../client/coming.ts'
import { refreshAll } from '../../client/queries.ts'
import { send } from '../../client/request.ts'
import { ConfirmDialog } from '../../collection/confirm-dialog.tsx'
import type { Flow } from '../../logs/entries.ts'
import { plainText } from '../../parts/characters.ts'
import { ActionButton } from '../../parts/controls.tsx'
import { notify } from '../../parts/notice.tsx'
import { hasScope, type Session, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'

/** True if the service can end authorizations (G10), and the scopes of a session permit it. */
export const canEndAuthorizations = (session: Session): boolean =>
  isServed('DELETE /authorizations/{id}') && hasScope(session, 'clients', 'write')

/** Button that ends the authorization of an open flow. The client can obtain another one. */
export function FlowAuthorization({ flow }: { flow: Flow }) {
  const session = useSession()
  const [isConfirming, setConfirming] = useState(false)
  const isInForce = flow.flow_end === null && Date.parse(flow.authorization_expires_at ?? '') > Date.now()
  if (!isInForce || !canEndAuthorizations(session)) return null
  const end = async () => {
    await send('DELETE /authorizations/{id}', { path: { id: flow.policy_authorization_id } })
    setConfirming(false)
    notify(texts.flows.ended)
    await refreshAll()
  }
  return (
    <>
      <ActionButton tone="quiet" onPress={() => setConfirming(true)}>
        {texts.flows.end}
      </ActionButton>
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
