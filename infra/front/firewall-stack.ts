import { CfnOutput, Fn, Stack } from 'aws-cdk-lib'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { CfnLoggingConfiguration, CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'
import { arnOf, stackIdSuffix } from '../settings/generated-names.ts'
import type { Settings } from '../settings/settings.ts'
import { removalPolicyOf } from '../storage/data-retention.ts'

const rulesOn = (part: string, ...rules: string[]) => rules.map((rule) => `${rule}_${part}`)

/**
 * Rules of the managed groups that count requests instead of blocking them. Bodies contain up to 5 MB of JSON with names, addresses and
 * domains from a network. A gateway that reports an attack would therefore look like an attacker. Queries for `169.254.169.254` or
 * `backup.log` are valid filters.
 */
const countedRules: Record<string, string[]> = {
  AWSManagedRulesCommonRuleSet: [
    ...rulesOn('BODY', 'SizeRestrictions', 'EC2MetaDataSSRF', 'GenericLFI', 'GenericRFI', 'CrossSiteScripting'),
    ...rulesOn(
      'QUERYARGUMENTS',
      'EC2MetaDataSSRF',
      'GenericLFI',
      'GenericRFI',
      'RestrictedExtensions',
      'CrossSiteScripting',
    ),
    'SizeRestrictions_QUERYSTRING',
    // Devices and pipelines may send requests without a User-Agent header.
    'NoUserAgent_HEADER',
  ],
  AWSManagedRulesKnownBadInputsRuleSet: [
    'JavaDeserializationRCE_BODY',
    'JavaDeserializationRCE_QUERYSTRING',
    'Log4JRCE_BODY',
    'Log4JRCE_QUERYSTRING',
    'ReactJSRCE_BODY',
  ],
}

const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Turns off samples, which would reveal whole requests to everyone with read access to the web ACL.
  sampledRequestsEnabled: false,
})

const managedGroup = (name: string, priority: number): CfnWebACL.RuleProperty => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: countedRules[name]?.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visibility(name),
})

const perAddress = (limit: number, priority: number): CfnWebACL.RuleProperty => ({
  name: 'RequestsPerAddress',
  priority,
  action: { block: { customResponse: { responseCode: 429 } } },
  statement: { rateBasedStatement: { limit, aggregateKeyType: 'IP', evaluationWindowSec: 300 } },
  visibilityConfig: visibility('RequestsPerAddress'),
})

/** Replaces request data in the log, such as tokens, bodies and sign-in codes. */
const redact = (fieldType: string, ...fieldKeys: string[]): CfnWebACL.DataProtectProperty => ({
  field: { fieldType, ...(fieldKeys.length > 0 && { fieldKeys }) },
  action: 'SUBSTITUTION',
})

const region = 'us-east-1'

/** Web ACL of the CDN. It has its own stack, because web ACLs for CloudFront exist only in us-east-1. */
export class FirewallStack extends Stack {
  readonly webAclArn = Fn.getStackOutput(this.stackName, 'WebAclArn', region)

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, { description: 'Network Access Administration: firewall', env: { region } })
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      rules: [
        managedGroup('AWSManagedRulesAmazonIpReputationList', 0),
        perAddress(settings.requestsPerAddress, 1),
        managedGroup('AWSManagedRulesKnownBadInputsRuleSet', 2),
        managedGroup('AWSManagedRulesCommonRuleSet', 3),
      ],
      visibilityConfig: visibility(settings.prefix),
      dataProtectionConfig: {
        dataProtections: [redact('SINGLE_HEADER', 'authorization', 'cookie'), redact('QUERY_STRING'), redact('BODY')],
      },
    })
    // AWS WAF requires that the name starts with `aws-waf-logs-`.
    const logGroupName = `aws-waf-logs-${settings.prefix}-${stackIdSuffix(this)}`
    const retention = { retention: settings.logGroupDays, removalPolicy: removalPolicyOf(settings) }
    const logs = new LogGroup(this, 'Logs', { logGroupName, ...retention })
    const conditions = ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((Action) => ({ ActionCondition: { Action } }))
    const logging = new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [arnOf(this, 'logs', `log-group:${logGroupName}`)],
      // Drops the lines of allowed requests, which are in the API's access log.
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: conditions }],
      },
    })
    logging.node.addDependency(logs)
    new CfnOutput(this, 'WebAclArn', { value: acl.attrArn })
  }
}
