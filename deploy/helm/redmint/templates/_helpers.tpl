{{- define "redmint.name" -}}
{{- if contains "redmint" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-redmint" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "redmint.selector" -}}
app.kubernetes.io/name: redmint
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "redmint.labels" -}}
{{ include "redmint.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "redmint.scales" -}}
{{- if gt (int .Values.replicas.max) (int .Values.replicas.min) }}true{{ end }}
{{- end }}
