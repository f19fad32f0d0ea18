import { useId } from 'react'
import { Switch } from 'react-aria-components'
import { useRead } from '../../client/queries.ts'
import { Choice } from '../../collection/field-controls.tsx'
import { Badge } from '../../parts/controls.tsx'
import { usePageTitle } from '../../parts/page-title.ts'
import { preferences, setPreference } from '../../parts/preferences.ts'
import { ShownText } from '../../parts/shown-text.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useStore } from '../../parts/store.ts'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'
import { labelOf, texts } from '../../texts/texts.ts'
import { LimitMeters } from './limits.tsx'

function AccountFacts() {
  const read = useRead('GET /account', { path: {} })
  if (read.isLoading) return <Loading rows={3} />
  if (!read.data) return read.error && <Failed problem={read.error} onRetry={() => void read.refetch()} />
  const { limits, ...account } = read.data.answer.data
  const facts = ['name', 'legal_name', 'slug', 'key', 'id'] as const
  return (
    <>
      <section>
        <h2>{texts.settings.account}</h2>
        <dl className="facts">
          {facts.map((field) => (
            <div key={field}>
              <dt>{labelOf(field)}</dt>
              <dd>
                <ShownText text={account[field] ?? texts.states.none} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h2>{texts.settings.limits}</h2>
        {Object.keys(limits).length > 0 ? (
          <LimitMeters limits={limits} />
        ) : (
          <p className="minor">{texts.settings.noLimits}</p>
        )}
      </section>
    </>
  )
}

function Preferences() {
  const { theme, zone, singleKeys } = useStore(preferences)
  const themeId = useId()
  const zoneId = useId()
  return (
    <section>
      <h2>{texts.settings.preferences}</h2>
      <div className="form">
        <div className="field">
          <label htmlFor={themeId}>{texts.settings.theme}</label>
          <Choice
            id={themeId}
            value={theme}
            options={Object.entries(texts.settings.themes)}
            onChange={(value) => setPreference({ theme: value as typeof theme })}
          />
        </div>
        <div className="field">
          <label htmlFor={zoneId}>{texts.settings.zone}</label>
          <Choice
            id={zoneId}
            value={zone}
            options={Object.entries(texts.settings.zones)}
            onChange={(value) => setPreference({ zone: value as typeof zone })}
          />
        </div>
        <div className="field">
          <Switch className="switch" isSelected={singleKeys} onChange={(on) => setPreference({ singleKeys: on })}>
            <span className="switch-track" aria-hidden="true" />
            {texts.settings.keys}
          </Switch>
        </div>
      </div>
    </section>
  )
}

/** Account, limits, session and preferences. */
export function SettingsScreen() {
  const { actor, credential, scopes } = useSession()
  usePageTitle(texts.settings.title)
  return (
    <>
      <header className="page-header">
        <h1>{texts.settings.title}</h1>
        <div className="page-actions">
          <a className="button plain" href="/docs" target="_blank" rel="noopener noreferrer">
            {texts.settings.reference}
          </a>
        </div>
      </header>
      <div className="panels">
        <AccountFacts />
        <section>
          <h2>{texts.settings.session}</h2>
          <dl className="facts">
            <div>
              <dt>{labelOf('name')}</dt>
              <dd>
                <ShownText text={actor.name} />
              </dd>
            </div>
            <div>
              <dt>{labelOf('scopes')}</dt>
              <dd className="badges">
                {scopes.map((scope) => (
                  <Badge key={scope}>{scope}</Badge>
                ))}
              </dd>
            </div>
            {credential.expires_at && (
              <div>
                <dt>{labelOf('expires_at')}</dt>
                <dd>
                  <Time value={credential.expires_at} exact />
                </dd>
              </div>
            )}
          </dl>
        </section>
        <Preferences />
      </div>
    </>
  )
}
