import { type App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'

type Finding = { rule: string; path: string; description: string }

function findingsOf(pack: AwsSolutionsChecks, app: App): Finding[] {
  return pack
    .validateScope(app)
    .violations.flatMap(({ ruleName, description, violatingResources }) =>
      violatingResources.map((resource) => ({
        rule: ruleName,
        path: 'constructPath' in resource ? String(resource.constructPath) : '',
        description: description.trim(),
      })),
    )
}

/** Findings of cdk-nag that nobody has acknowledged. */
export const findings = (app: App): Finding[] => findingsOf(new AwsSolutionsChecks(app), app)

const key = Validations.ACKNOWLEDGED_RULES_METADATA_KEY

/** Acknowledgements of an app, as `path: rule`, by whether there is something to acknowledge. */
export function acknowledged(app: App): Map<string, boolean> {
  const all = new AwsSolutionsChecks(app)
  Object.defineProperty(all, 'isAcknowledged', { value: () => false })
  const found = findingsOf(all, app)
  const entries = app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === key)
      .flatMap(({ data }) => Object.keys(data ?? {}))
      .map((id) => id.replace(/^annotation::/i, ''))
      .map((rule): [string, boolean] => [
        `${node.path}: ${rule}`,
        found.some((finding) => finding.rule === rule && `${finding.path}/`.startsWith(`${node.path}/`)),
      ]),
  )
  return new Map(entries)
}
