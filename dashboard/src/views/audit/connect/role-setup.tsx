import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useScanQueries } from '../../../data/scans.ts';
import { ActionButton } from '../../../parts/action-button.tsx';
import { Choice } from '../../../parts/choice.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { Loading } from '../../../parts/loaded.tsx';
import { TextInput } from '../../../parts/text-input.tsx';
import { download } from '../../../parts/download.ts';
import { permissionsPolicy } from './permissions.ts';
import {
  createExternalId,
  deployCommand,
  isAccountId,
  NEW_STACK,
  quickCreateLink,
  ROLE_NAME,
  roleTemplate,
  TEMPLATE_NAME,
  trustPolicy,
  type Trust,
} from './role.ts';
import { Snippet } from '../../../parts/copy-button.tsx';
import type { Draft } from './use-draft.ts';

const NEW_ROLE = 'https://console.aws.amazon.com/iam/home#/roles/create?trustedEntityType=CUSTOM';

interface RoleSetupProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The role, made for this account: nothing is left to fill in. */
export function RoleSetup({ draft, onChange }: RoleSetupProps) {
  const [way, setWay] = useState<'cloudformation' | 'by_hand'>('cloudformation');
  const [typedAccountId, setTypedAccountId] = useState('');
  const { serviceIdentity } = useScanQueries();
  const { data: identity, isFetched, failureCount } = useQuery(serviceIdentity);
  // Also while it is tried again.
  const hasFailed = !identity && (isFetched || failureCount > 0);
  const serviceAccountId = identity?.awsAccountId ?? typedAccountId.trim();
  const trust = { serviceAccountId, externalId: draft.externalId.trim() };
  return (
    <div className="form wide-form">
      {identity ? (
        <Facts facts={[['AWS account of the service', <code>{identity.awsAccountId}</code>]]} />
      ) : hasFailed ? (
        <TypedAccount value={typedAccountId} onChange={setTypedAccountId} />
      ) : (
        <Loading what="the AWS account of the service" />
      )}
      <TextInput
        label="External id"
        hint="Made in this browser, for this connection only. The role can be assumed only with it."
        value={draft.externalId}
        onChange={(externalId) => onChange({ externalId })}
      />
      <div className="actions">
        <ActionButton onPress={() => onChange({ externalId: createExternalId() })}>
          Make another external id
        </ActionButton>
      </div>
      <Choice
        label="How"
        value={way}
        options={[
          { value: 'cloudformation', title: 'With CloudFormation' },
          { value: 'by_hand', title: 'By hand, with two policies' },
        ]}
        onChange={setWay}
      />
      {isAccountId(serviceAccountId) ? (
        way === 'cloudformation' ? (
          <CloudFormation trust={trust} templateUrl={identity?.templateUrl ?? null} />
        ) : (
          <ByHand trust={trust} />
        )
      ) : hasFailed ? (
        <p className="quiet" role="status">
          The template and the policies are shown here as soon as the account of the service has its
          12 digits.
        </p>
      ) : null}
    </div>
  );
}

interface TypedAccountProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Shown if the service could not ask AWS for its own account. */
function TypedAccount({ value, onChange }: TypedAccountProps) {
  return (
    <>
      <p className="quiet" role="status">
        The service cannot look up its own AWS account at the moment.
      </p>
      <TextInput
        label="AWS account of the service"
        hint="12 digits. The operator of the service tells you."
        value={value}
        onChange={onChange}
      />
    </>
  );
}

interface CloudFormationProps {
  readonly trust: Trust;
  /** Null: the operator has published no template. */
  readonly templateUrl: string | null;
}

function CloudFormation({ trust, templateUrl }: CloudFormationProps) {
  const template = roleTemplate(trust);
  return (
    <div className="steps">
      {templateUrl === null ? null : (
        <div className="block">
          <p>
            This opens the AWS console with the account of the service and your external id filled
            in. Confirm that the stack creates a role with a name. Its outputs show the ARN of the
            role.
          </p>
          <External className="button-link" href={quickCreateLink(templateUrl, trust)}>
            Create the role in AWS
          </External>
        </div>
      )}
      <div className="block">
        <p>
          {templateUrl === null ? 'Download' : 'Or download'} the template. It holds the account of
          the service and your external id already.
        </p>
        <ActionButton
          kind={templateUrl === null ? 'primary' : 'plain'}
          onPress={() =>
            download(TEMPLATE_NAME, new Blob([template], { type: 'application/yaml' }))
          }
        >
          Download the template
        </ActionButton>
      </div>
      <div className="block">
        <p>
          Then <External href={NEW_STACK}>create a stack in the AWS console</External> (upload the
          template, keep the parameters, and confirm that it creates a role with a name), or run
          this in the folder of the template. Both show the ARN of the role in the end.
        </p>
        <Snippet text={deployCommand()} label="Copy the commands" />
      </div>
      <details>
        <summary>Show the template</summary>
        <Snippet text={template} label="Copy the template" />
      </details>
    </div>
  );
}

function ByHand({ trust }: { readonly trust: Trust }) {
  return (
    <div className="steps">
      <div className="block">
        <p>
          <External href={NEW_ROLE}>Create a role in the AWS console</External> with this custom
          trust policy, and name it <code>{ROLE_NAME}</code> or as you like.
        </p>
        <Snippet text={pretty(trustPolicy(trust))} label="Copy the trust policy" />
      </div>
      <div className="block">
        <p>Then add this as an inline policy of the role.</p>
        <Snippet text={pretty(permissionsPolicy())} label="Copy the permissions policy" />
      </div>
    </div>
  );
}

interface ExternalProps {
  readonly href: string;
  readonly className?: string;
  readonly children: string;
}

function External({ children, ...link }: ExternalProps) {
  return (
    <a {...link} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

function pretty(policy: object): string {
  return JSON.stringify(policy, null, 2);
}
