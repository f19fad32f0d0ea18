import { useRead } from '../../client/queries.ts'
import { FactList } from '../../collection/facts.tsx'
import { ChoiceField, FlagField } from '../../collection/field-controls.tsx'
import { StateBadges } from '../../collection/row-table.tsx'
import { PageHeader, usePageTitle } from '../../parts/page.tsx'
import { preferences, setPreference } from '../../parts/preferences.ts'
import { ShownText } from '../../parts/shown-text.tsx'
import { ReadState } from '../../parts/states.tsx'
import { useStore } from '../../parts/store.ts'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'
import { labelOf, texts } from '../../texts/texts.ts'
import { LimitMeters } from './limits.tsx'

function AccountFacts() {
  const read = useRead('GET /account', { path: {} })
  if (!read.data) return <ReadState read={read} rows={3} />
  const { limits, ...account } = read.data.answer.data
  const facts = (['name', 'legal_name', 'slug', 'key', 'id'] as const).map((field) => [
    labelOf(field),
    <ShownText key={field} text={account[field] ?? texts.states.none} />,
  ])
  return (
    <>
      <section>
        <h2>{texts.settings.account}</h2>
        <FactList facts={Object.fromEntries(facts)} />
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
  return (
    <section>
      <h2>{texts.settings.preferences}</h2>
      <div className="form">
        <ChoiceField
          label={texts.settings.theme}
          value={theme}
          options={Object.entries(texts.settings.themes)}
          onChange={(value) => setPreference({ theme: value as typeof theme })}
        />
        <ChoiceField
          label={texts.settings.zone}
          value={zone}
          options={Object.entries(texts.settings.zones)}
          onChange={(value) => setPreference({ zone: value as typeof zone })}
        />
        <FlagField
          label={texts.settings.keys}
          value={singleKeys}
          onChange={(on) => setPreference({ singleKeys: on })}
        />
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
      <PageHeader title={texts.settings.title}>
        <a className="button plain" href="/docs" target="_blank" rel="noopener noreferrer">
          {texts.settings.reference}
        </a>
      </PageHeader>
      <div className="panels">
        <AccountFacts />
        <section>
          <h2>{texts.settings.session}</h2>
          <FactList
            facts={{
              [labelOf('name')]: <ShownText text={actor.name} />,
              [labelOf('scopes')]: <StateBadges states={scopes.map((text) => ({ text, tone: 'neutral' }))} />,
              [labelOf('expires_at')]: credential.expires_at && <Time value={credential.expires_at} exact />,
            }}
          />
        </section>
        <Preferences />
      </div>
    </>
  )
}
