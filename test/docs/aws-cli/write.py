"""Writes commands.txt: the AWS CLI commands that the documents may use, with their options.

    pip install awscli && python3 test/docs/aws-cli/write.py

Reads the parser of the installed AWS CLI, version 1, whose service models come from botocore. Version 2 takes the same
options and some more, which V2 adds. A new command goes into COMMANDS, then the script runs again.
"""

from pathlib import Path

import awscli
import botocore
from awscli.clidriver import create_clidriver

COMMANDS = """
apigateway get-account
apigatewayv2 create-api-mapping create-integration create-route create-stage delete-api-mapping get-api get-api-mappings get-apis get-domain-name get-domain-names get-integrations
apigatewayv2 get-routes get-stage get-stages update-stage
backup create-backup-vault delete-backup-vault-lock-configuration describe-backup-vault describe-recovery-point
backup describe-region-settings get-backup-vault-access-policy get-recovery-point-restore-metadata list-backup-jobs
backup list-copy-jobs list-recovery-points-by-backup-vault put-backup-vault-access-policy
backup put-backup-vault-lock-configuration start-restore-job update-global-settings update-region-settings
budgets create-budget describe-budgets
cloudformation cancel-update-stack continue-update-rollback create-change-set delete-change-set delete-stack
cloudformation describe-change-set describe-stack-drift-detection-status describe-stack-events
cloudformation describe-stack-resource describe-stack-resource-drifts describe-stack-resources describe-stacks
cloudformation describe-type detect-stack-drift detect-stack-resource-drift execute-change-set get-template
cloudformation list-exports list-stack-resources list-stacks set-stack-policy update-stack
cloudformation update-termination-protection
cloudformation wait change-set-create-complete
cloudformation wait stack-create-complete
cloudformation wait stack-delete-complete
cloudformation wait stack-update-complete
cloudfront create-invalidation get-distribution get-distribution-config list-distributions update-distribution
acm describe-certificate
cloudtrail create-trail describe-trails get-event-selectors get-trail-status lookup-events put-event-selectors
cloudtrail start-logging validate-logs
cloudwatch delete-alarms describe-alarm-history describe-alarms disable-alarm-actions enable-alarm-actions
cloudwatch get-metric-data get-metric-statistics list-metrics set-alarm-state
configservice describe-config-rules get-compliance-details-by-config-rule put-config-rule
deploy get-deployment list-deployments stop-deployment
dynamodb batch-get-item create-backup delete-resource-policy delete-table describe-backup
dynamodb describe-continuous-backups describe-contributor-insights describe-export describe-limits describe-table
dynamodb describe-time-to-live export-table-to-point-in-time get-item get-resource-policy list-backups list-tables
dynamodb list-tags-of-resource put-resource-policy query restore-table-from-backup restore-table-to-point-in-time
dynamodb scan tag-resource update-continuous-backups update-contributor-insights update-table update-time-to-live
dynamodb wait table-exists
dynamodb wait table-not-exists
dynamodbstreams describe-stream list-streams
events describe-rule disable-rule enable-rule list-rules list-targets-by-rule put-rule put-targets
guardduty list-detectors update-detector
iam attach-group-policy attach-role-policy attach-user-policy create-policy create-role create-service-linked-role
iam delete-role delete-role-policy detach-role-policy get-account-summary get-policy get-policy-version get-role get-role-policy
iam list-attached-role-policies list-entities-for-policy list-role-policies list-roles put-role-policy
iam simulate-custom-policy simulate-principal-policy update-assume-role-policy
kinesis describe-limits describe-stream describe-stream-summary get-records get-resource-policy get-shard-iterator
kinesis increase-stream-retention-period list-shards list-streams put-resource-policy
kms create-grant create-key describe-key disable-key enable-key get-key-policy get-public-key list-aliases
kms put-key-policy replicate-key
lambda add-permission create-alias create-event-source-mapping delete-event-source-mapping delete-function-concurrency
lambda get-account-settings get-alias get-event-source-mapping get-function get-function-concurrency
lambda get-function-configuration get-policy invoke list-aliases list-event-source-mappings list-functions
lambda list-versions-by-function publish-version put-function-concurrency remove-permission update-alias
lambda update-event-source-mapping update-function-configuration
logs create-log-group delete-log-group delete-subscription-filter describe-log-groups describe-log-streams
logs describe-subscription-filters filter-log-events get-log-events get-query-results put-account-policy
logs put-destination put-destination-policy put-resource-policy put-retention-policy put-subscription-filter
logs start-query
organizations describe-organization enable-policy-type enable-aws-service-access list-accounts
resourcegroupstaggingapi get-resources
s3 cp ls mb mv presign rb rm sync
s3api create-bucket delete-object delete-objects get-bucket-encryption get-bucket-location get-bucket-policy
s3api get-bucket-replication get-bucket-versioning get-object get-object-attributes get-object-lock-configuration
s3api get-object-retention get-public-access-block head-bucket head-object list-buckets list-object-versions
s3api list-objects-v2 put-bucket-policy put-bucket-replication put-bucket-versioning put-object
s3api put-object-lock-configuration put-object-retention
secretsmanager create-secret delete-secret describe-secret get-resource-policy get-secret-value list-secret-version-ids
secretsmanager list-secrets put-resource-policy put-secret-value replicate-secret-to-regions restore-secret
secretsmanager rotate-secret update-secret update-secret-version-stage
securityhub enable-security-hub get-findings
service-quotas get-aws-default-service-quota get-service-quota list-service-quotas
service-quotas list-requested-service-quota-change-history request-service-quota-increase
ses get-send-quota verify-email-identity
sesv2 create-email-identity get-account get-email-identity put-account-details
sns get-subscription-attributes get-topic-attributes list-subscriptions list-subscriptions-by-topic list-topics
sns publish set-topic-attributes subscribe unsubscribe
sqs get-queue-attributes
ssm get-parameter get-parameters put-parameter
sts assume-role decode-authorization-message get-caller-identity get-session-token
wafv2 get-sampled-requests get-web-acl list-web-acls
"""

# The AWS CLI Command Reference, version 2: commands and global options that version 1 lacks.
V2 = [
    "configure list",
    "configure sso --use-device-code? --no-browser?",
    "login --remote?",
    "logs tail <group> --since --follow? --format=detailed|short|json --filter-pattern --log-stream-names+ --log-stream-name-prefix",
    "sso login --sso-session --no-browser? --use-device-code?",
    "sso logout",
]
V2_GLOBAL = [
    "--cli-auto-prompt?",
    "--cli-binary-format=base64|raw-in-base64-out",
    "--cli-error-format",
    "--no-cli-auto-prompt?",
    "--no-cli-pager?",
    "--output=json|text|table|yaml|yaml-stream|off",
]
V2_INPUT = ["--cli-input-yaml", "--generate-cli-skeleton=input|output|yaml-input"]


def option(name, argument):
    """The notation of an option: ! is required, ? takes no value, + takes several, = one of, {} has these members."""
    model = getattr(argument, "argument_model", None)
    values = list(getattr(argument, "choices", None) or [])
    members = []
    several = argument.cli_type_name == "list" or argument.nargs in ("*", "+")
    if model is not None:
        inner = model.member if model.type_name == "list" else model
        values = values or list(getattr(inner, "enum", None) or [])
        if inner.type_name == "structure" and not getattr(inner, "is_document_type", False):
            members = list(inner.members)
    text = f"--{name}" + ("!" if argument.required else "")
    if argument.cli_type_name == "boolean":
        return text + "?"
    if several:
        text += "+"
    if values:
        text += "=" + "|".join(values)
    elif members:
        text += "{" + ",".join(members) + "}"
    return text


def line(words, table):
    """A command: its positional arguments, then its options."""
    positional, options = [], []
    for name, argument in table.items():
        if name == "paths":
            positional += ["<path>"] * argument.nargs if isinstance(argument.nargs, int) else ["<path>?"]
        elif argument.positional_arg or name == "outfile":
            positional.append(f"<{name}>")
        elif name != "generate-cli-skeleton":
            options.append(option(name, argument))
    return " ".join([*words, *positional, *sorted(options)])


def children(command):
    make = getattr(command, "_get_command_table", None)
    return make() if make else command.subcommand_table


def main():
    driver = create_clidriver()
    services = children(driver)
    known = {}
    for row in COMMANDS.split("\n"):
        service, *names = row.split() or [None]
        if service is None:
            continue
        commands = children(services[service])
        if names[0] == "wait":
            words = [service, *names]
            known[" ".join(words)] = line(words, children(commands["wait"])[names[1]].arg_table)
            continue
        for name in names:
            known[f"{service} {name}"] = line([service, name], commands[name].arg_table)
    arguments = driver._get_argument_table()
    own = {row.split("=")[0].rstrip("?") for row in V2_GLOBAL}
    common = [option(name, it) for name, it in arguments.items() if f"--{name}" not in own and name != "v2-debug"]
    common = [it.replace("{}", "") for it in common] + V2_GLOBAL + V2_INPUT
    header = [
        "# The AWS CLI commands that the documents may use. Written by test/docs/aws-cli/write.py, which also tells the notation:",
        "# ! is required, ? takes no value, + takes several, = one of these, {} a structure of these members, <> an argument without a name.",
        f"# From aws-cli {awscli.__version__} and botocore {botocore.__version__}, with the additions of AWS CLI version 2.",
    ]
    rows = [*header, " ".join(["aws", *sorted(common)]), *sorted([*known.values(), *V2])]
    Path(__file__).with_name("commands.txt").write_text("\n".join(rows) + "\n")


main()
