import { useRef, useState } from 'react'
import { type Problem, toProblem } from '../../client/problem.ts'
import { send } from '../../client/request.ts'
import type { Row } from '../../collection/collection.ts'
import { ActionButton } from '../../parts/controls.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'

/** Creates tokens with which any number of gateways can connect the site (A22). The service does not list them yet. */
export function SiteTokenPart({ row }: { row: Row }) {
  const session = useSession()
  const [token, setToken] = useState<string>()
  const [problem, setProblem] = useState<Problem>()
  const key = useRef(crypto.randomUUID())
  const create = async () => {
    setProblem(undefined)
    const options = { path: { site_id: row.id }, idempotencyKey: key.current }
    const { answer } = await send('POST /sites/{site_id}/gateway_tokens', options)
    key.current = crypto.randomUUID()
    setToken(answer.data.token)
  }
  return (
    <>
      <Empty
        title={texts.siteToken.title}
        action={
          hasScope(session, 'tokens', 'write') && (
            <ActionButton icon="add" onPress={() => void create().catch((error) => setProblem(toProblem(error)))}>
              {texts.siteToken.create}
            </ActionButton>
          )
        }
      >
        {texts.siteToken.hint}
      </Empty>
      {problem && <Failed problem={problem} />}
      {token && <SecretDialog token={token} name="gateway-token" onClose={() => setToken(undefined)} />}
    </>
  )
}
